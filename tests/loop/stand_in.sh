#!/usr/bin/env bash
# A launcher that leads to a GPU of a class that need not be there: the CPU device does the work,
# with a build of the version for it, and what it writes then names the GPU and the times that
# <times> has for v001, v002, ... What is compared is found faster.
#   stand_in.sh <name> <architecture> <times> <operator's folder> <the same for the CPU device>
#     <kernelloop-device> <step> <option>...
set -euo pipefail
name=$1 architecture=$2 times=$3 from=$4 to=$5 program=$6 step=$7
shift 7
arguments=()
output=
version=
while (($#)); do
  case $1 in
    --device) arguments+=(--device cpu); shift ;;
    --output) output=$2; arguments+=("$1") ;;
    "$from"/v*/compile.json)
      version=${1#"$from"/v}
      version=${version%%/*}
      arguments+=("$to${1#"$from"}") ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
echo "$architecture $step ${version:+v$version}" >>"$(dirname "$0")/stand_in.log"
if [[ $step == profile ]]; then
  echo "{\"schema_version\": 1, \"status\": \"unavailable\", \"reason\": \"a stand-in counts nothing\"}" >"$output"
  exit
fi
"$program" "$step" "${arguments[@]}"
time_us=$(cut -d, -f "$((10#${version:-1}))" <<<"$times")
cmake -D "FILE=$output" -D "NAME=$name" -D "ARCHITECTURE=$architecture" -D "TIME_US=$time_us" \
  -P "$(dirname "$0")/stand_in.cmake"
