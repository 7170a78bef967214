# A step to run as jobs, and the round that both ways of submitting must get through; source it after
# slurm_fixture.sh. Sets device, launcher, op, and works in a folder whose name has a space and a field
# of a log's pattern.
device=$build_dir/bin/kernelloop-device
launcher=$source_dir/tools/launchers/kernelloop-sbatch
export KERNELLOOP_SLURM_POLL=0.3
work_dir="$work_dir/a %j"
mkdir "$work_dir"
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

# Takes a while where it runs, and says that it ran.
cat >slow.sh <<EOF
#!/bin/sh
[ "\$1" = run ] && { sleep "\$(cat "$work_dir/seconds")"; echo run >>"$work_dir/runs"; }
exec "$device" "\$@"
EOF
chmod +x slow.sh
echo 1 >seconds

nothing_left() {
  local jobs
  jobs=$(ls -A "$1/kernelloop-jobs" 2>/dev/null || true)
  [[ -z $jobs ]] || fail "left over: $jobs"
  jobs=$(squeue --noheader --states=pending,running)
  [[ -z $jobs ]] || fail "left in the queue: $jobs"
}

# exits <code> <log> <command...>
exits() {
  local code=0 wanted=$1 log=$2
  shift 2
  ("$@") >"$log" 2>&1 || code=$?
  [[ $code == "$wanted" ]] || { cat "$log" >&2; fail "exit code $code instead of $wanted: $*"; }
}

# until_true <command...>: waits up to a minute for it.
until_true() {
  local try
  for try in $(seq 300); do
    ! "$@" || return 0
    sleep 0.2
  done
  fail "never: $*"
}
count_is() { # <number> <command...>
  local wanted=$1
  shift
  [[ $("$@" | wc -l) == "$wanted" ]]
}
running() { count_is "$1" squeue --noheader --states=running; }
queued() { count_is "$1" squeue --noheader --array; }
undrained() { scontrol update NodeName=n1 State=undrain; }

# step <program> <lane> [option of the launcher]...: the step in place of this shell.
step() {
  local program=$1 lane=$2
  shift 2
  exec "$launcher" "$@" "$program" reference --checks "$op/checks.json" --reference "$reference" --device cpu \
    --output "$work_dir/out$lane/reference.json"
}
# start <lane> [option]...: a slow step in the background; its launcher's id is in launchers[lane].
launchers=()
start() {
  local lane=$1
  shift
  rm -rf "out$lane"
  mkdir "out$lane"
  (step "$work_dir/slow.sh" "$lane" --gres=gpu:1 "$@") >"lane$lane.log" 2>&1 &
  launchers[lane]=$!
}
# has_result <lane>: its launcher ends well, with the result and the words of the step.
has_result() {
  wait "${launchers[$1]}" || { cat "lane$1.log" >&2; fail "lane $1: no result"; }
  cmp "$op/reference.json" "out$1/reference.json" || fail "lane $1: another result"
  [[ $(cat "lane$1.log") == "axpy: the reference works (2 cases)" ]] || { cat "lane$1.log" >&2; fail "lane $1: other words"; }
}
# ends <lane> <code>: and leaves no result.
ends() {
  local code=0
  wait "${launchers[$1]}" || code=$?
  [[ $code == "$2" ]] || { cat "lane$1.log" >&2; fail "lane $1: exit code $code instead of $2"; }
  [[ ! -e out$1/reference.json ]] || fail "lane $1: wrote something"
}

# hurry <job>...: Slurm lets a requeued job wait for two minutes; these do not, until $hurrying is killed.
hurry() {
  while sleep 1; do
    for job in "$@"; do scontrol update JobId="$job" StartTime=now || true; done
  done 2>hurry.log &
  hurrying=$!
}

# eight_steps [option]...: a round of eight, in whose middle a node is drained, a job requeued and the
# controller restarted. Ids of all jobs, those of arrays without the task, come into `jobs`.
eight_steps() {
  local lane victim runs
  rm -f runs
  for lane in $(seq 8); do start "$lane" "$@"; done
  until_true running 2
  until_true queued 8
  squeue --noheader --array --format=%F | sort -u >jobs
  victim=$(squeue --noheader --states=running --nodelist=n1 --format=%i | head -n 1)
  [[ -n $victim ]] || fail "no job runs on n1"
  scontrol update NodeName=n1 State=drain Reason=test
  scontrol requeue "$victim"
  kill "$(cat "$slurm/slurmctld.pid")"
  until_true test ! -e "$slurm/slurmctld.pid"
  sleep 1
  start_controller || fail "the controller does not come back"
  until_true undrained 2>undrain.log
  hurry "$victim"
  for lane in $(seq 8); do has_result "$lane"; done
  kill "$hurrying"
  runs=$(wc -l <runs)
  ((runs >= 8 && runs <= 9)) || fail "eight steps ran $runs times"
  nothing_left .
  echo "8 steps ran $runs times, in $(wc -l <jobs) submissions"
}
