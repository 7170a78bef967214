#!/usr/bin/env bash
# Counts false alarms: verifies right kernels again and again, each time with fresh seeds.
#
#   honest_runs.sh <build> <device> <runs> [<rung>]
#
# <build> holds compiled versions: adopted ones after `ctest -R '^kernelloop[.].*[.]build$'`, all after
# `optimize_all`. KERNELLOOP_DEVICE_TOOL names the program where it is not <build>/bin/kernelloop-device.
# Every operator's adopted version, or else its newest that passed, is verified <runs> times on <device> (cuda or cpu), each time up to <rung> (exact: all families of values). Prints
# a line for each operator and the sum; a verdict other than "passed" is an alarm, and its reason is
# printed. Exit code 1 when there was one.
set -euo pipefail

build=$(cd "$1" && pwd)
device=$2
runs=$3
rung=${4:-exact}
tool=${KERNELLOOP_DEVICE_TOOL:-$build/bin/kernelloop-device}
rules=$(grep -om1 -E 'kernelloop-device.* verify .*--rules [0-9]+' "$build/build.ninja" | grep -oE '[0-9]+$')
result=$(mktemp)
trap 'rm -f "$result"' EXIT

total=0
alarms=0
for dir in "$build"/kernelloop/*/; do
  [[ -e $dir/config.json ]] || continue
  op=$(basename "$dir")
  version=
  grep -qs '"status": "passed"' "$dir/check/verify-build.json" && version=check
  [[ -n $version ]] || for candidate in "$dir"v[0-9]*/; do
    grep -qs '"status": "passed"' "$candidate/verify.json" && version=$(basename "$candidate")
  done
  [[ -n $version ]] || {
    echo "$op: no version that passed; left out"
    continue
  }
  home=$dir
  [[ $version != check ]] || home=$dir/check
  of_op=0
  begin=$SECONDS
  for ((run = 0; run < runs; ++run)); do
    code=0
    message=$("$tool" verify --contract "$home/contract.json" --checks "$home/checks.json" \
      --compiled "$dir/$version/compile.json" --reference "$dir/reference.so" --device "$device" \
      --rules "$rules" --up-to "$rung" --keep-going --gate --output "$result" 2>&1) || code=$?
    [[ $code == 0 || $code == 77 ]] && continue
    of_op=$((of_op + 1))
    echo "ALARM $op $version: $message"
  done
  total=$((total + runs))
  alarms=$((alarms + of_op))
  echo "$op $version: $runs runs, $of_op alarms, $((SECONDS - begin)) s"
done
echo "$total runs on $device, up to rung $rung: $alarms false alarms"
[[ $alarms == 0 ]]
