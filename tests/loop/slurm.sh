#!/usr/bin/env bash
# Device steps as jobs of a real Slurm with two nodes: a round of eight, in whose middle a node is
# drained, a job requeued and the controller restarted; and what becomes of lost jobs.
source "$(dirname "$0")/harness.sh"
source "$(dirname "$0")/slurm_fixture.sh"

device=$build_dir/bin/kernelloop-device
launcher=$source_dir/tools/launchers/kernelloop-sbatch
export KERNELLOOP_SLURM_POLL=0.3
cd "$work_dir"
cp -r "$source_dir/docs/tutorial/ops" "$source_dir/docs/tutorial/references" .
mkdir -p generated/axpy/v001
cp "$source_dir/docs/tutorial/first.cu" generated/axpy/v001/kernel.cu
cat >CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(slurm LANGUAGES CXX)
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$device")
set(KERNELLOOP_DEVICE_LAUNCHER "$launcher" --gres=gpu:1)
add_subdirectory("$source_dir" kernelloop-build)
add_kernel_op(axpy SPEC ops/axpy/op.json REFERENCE references/axpy.cpp VERSIONS 1 PROVIDER manual
  DEVICE cpu)
EOF
succeeds configure.log cmake -G Ninja -B build
succeeds build.log cmake --build build --target kernelloop/axpy/reference.json
expect "axpy: the reference works" build.log
op=build/kernelloop/axpy
reference=$(json $op/config.json reference_library)
nothing_left() {
  local jobs
  jobs=$(ls -A "$1/kernelloop-jobs" 2>/dev/null || true)
  [[ -z $jobs ]] || fail "left over: $jobs"
}
nothing_left build

# A version's ladder and its timing as jobs, confined where anything can be.
if [[ -z $(bwrap --ro-bind / / --unshare-all true 2>&1) ]]; then
  KERNELLOOP_SANDBOX=required succeeds verify.log cmake --build build --target kernelloop/axpy/v001/bench.json
  [[ $(json $op/v001/verify.json status) == passed ]] || fail "the version is not verified"
  [[ $(json $op/v001/bench.json status) == measured ]] || fail "the version is not timed"
  for file in verify bench; do
    [[ $(json $op/v001/$file.json device.confinement) == bubblewrap* ]] || fail "$file ran unconfined in its job"
  done
  nothing_left build
fi

# exits <code> <log> <command...>
exits() {
  local code=0 wanted=$1 log=$2
  shift 2
  "$@" >"$log" 2>&1 || code=$?
  [[ $code == "$wanted" ]] || { cat "$log" >&2; fail "exit code $code instead of $wanted: $*"; }
}

# Takes a second where it runs, and says that it ran.
cat >slow.sh <<EOF
#!/bin/sh
[ "\$1" = run ] && { sleep 1; echo run >>"$work_dir/runs"; }
exec "$device" "\$@"
EOF
chmod +x slow.sh
step() { # <program> <directory>
  echo "$1 reference --checks $op/checks.json --reference $reference --device cpu --output $work_dir/$2/reference.json"
}
launchers=()
for lane in $(seq 8); do
  mkdir "out$lane"
  # shellcheck disable=SC2046
  "$launcher" --gres=gpu:1 $(step "$work_dir/slow.sh" "out$lane") >"lane$lane.log" 2>&1 &
  launchers+=($!)
done
for _ in $(seq 100); do [[ $(squeue --noheader --states=running | wc -l) == 2 ]] && break; sleep 0.1; done
victim=$(squeue --noheader --states=running --nodelist=n1 --format=%i | head -n 1)
[[ -n $victim ]] || fail "no job runs on n1"
scontrol update NodeName=n1 State=drain Reason=test
scontrol requeue "$victim"
kill "$(cat "$slurm/slurmctld.pid")"
for _ in $(seq 100); do [[ -e $slurm/slurmctld.pid ]] || break; sleep 0.1; done
sleep 1
start_controller || fail "the controller does not come back"
for _ in $(seq 100); do scontrol update NodeName=n1 State=resume 2>/dev/null && break; sleep 0.2; done
# Slurm lets a requeued job wait for two minutes.
scontrol update JobId="$victim" StartTime=now 2>/dev/null || true
for lane in $(seq 8); do
  wait "${launchers[lane - 1]}" || { cat "lane$lane.log" >&2; fail "lane $lane: no result"; }
  cmp "$op/reference.json" "out$lane/reference.json" || fail "lane $lane: another result"
  [[ $(cat "lane$lane.log") == "axpy: the reference works (2 cases)" ]] || fail "lane $lane: another line"
done
runs=$(wc -l <runs)
((runs >= 8 && runs <= 9)) || fail "eight steps ran $runs times"
nothing_left .

# No such partition, a job that somebody cancels: no verdict. A step that says no: its own.
# shellcheck disable=SC2046
exits 8 partition.log "$launcher" --partition=nowhere $(step "$device" out1)
expect "kernelloop-sbatch: no job: " partition.log
sed -i 's/sleep 1/sleep 100/' slow.sh
rm out1/reference.json
# shellcheck disable=SC2046
"$launcher" --gres=gpu:1 $(step "$work_dir/slow.sh" out1) >cancelled.log 2>&1 &
lost=$!
for _ in $(seq 100); do [[ -n $(squeue --noheader --states=running) ]] && break; sleep 0.1; done
scancel "$(squeue --noheader --format=%i)"
code=0
wait "$lost" || code=$?
[[ $code == 8 ]] || fail "exit code $code of a cancelled job"
expect "without a result" cancelled.log
[[ ! -e out1/reference.json ]] || fail "a cancelled job wrote something"
echo '{}' >broken.json
exits 3 broken.log "$launcher" "$device" reference --checks broken.json --reference "$reference" --device cpu \
  --output out1/none.json
nothing_left .
echo "8 steps ran $runs times"
