#!/usr/bin/env bash
# A device step over a real sshd: the same verdict as here, nothing left there, and what becomes of
# dead hosts, wrong keys, broken connections and interrupts.
#   ssh.sh <source> <build> <work> [cuts]: breaks so many transfers, 50 unless told
source "$(dirname "$0")/harness.sh"
cuts=${4:-50}
source "$(dirname "$0")/sshd.sh"

device=$build_dir/bin/kernelloop-device
ssh_launcher=$source_dir/tools/launchers/kernelloop-ssh
cd "$work_dir"
cp -r "$source_dir/docs/tutorial/ops" "$source_dir/docs/tutorial/references" .
mkdir -p generated/axpy/v001
cp "$source_dir/docs/tutorial/first.cu" generated/axpy/v001/kernel.cu
cat >CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(ssh LANGUAGES CXX)
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$device")
set(KERNELLOOP_DEVICE_LAUNCHER "$ssh_launcher" gpuhost)
add_subdirectory("$source_dir" kernelloop-build)
add_kernel_op(axpy SPEC ops/axpy/op.json REFERENCE references/axpy.cpp VERSIONS 1 PROVIDER manual
  DEVICE cpu)
EOF
succeeds configure.log cmake -G Ninja -B build
# exits <code> <log> <command...>
exits() {
  local code=0 wanted=$1 log=$2
  shift 2
  "$@" >"$log" 2>&1 || code=$?
  [[ $code == "$wanted" ]] || { cat "$log" >&2; fail "exit code $code instead of $wanted: $*"; }
}
nothing_left() {
  local jobs
  jobs=$(ls -A "${1:-remote}/jobs" 2>/dev/null || true)
  [[ -z $jobs ]] || fail "left on the host: $jobs"
}

# The build sends its steps there: whether the reference works, and a rung of the version's ladder.
succeeds build.log cmake --build build --target kernelloop/axpy/reference.json kernelloop/axpy/v001/compile.json
expect "axpy: the reference works" build.log
no_work build kernelloop/axpy/reference.json
config=build/kernelloop/axpy/config.json
reference=$(json "$config" reference_library)
op=build/kernelloop/axpy
rules=$(grep -o 'VERIFICATION_RULES [0-9]*' "$source_dir/cmake/kernelloop/rules.cmake")
mkdir out
succeeds verify.log "$ssh_launcher" gpuhost "$device" verify --contract $op/contract.json --checks $op/checks.json \
  --compiled $op/v001/compile.json --reference "$reference" --device cpu --rules "${rules#* }" --rung smoke \
  --output out/verify.json
expect "axpy v001: passed" verify.log
[[ $(json out/verify.json status) == passed ]] || fail "the verdict was not brought back"
nothing_left
[[ $(ls remote/program) == "$(sha256sum "$device" | cut -d' ' -f1)" ]] || fail "the program is not there once"
[[ $(stat -c %u remote/program) == "$ssh_uid" ]] || fail "steps do not run as the user of the host"
ldd remote/program/*/kernelloop-device >libraries.log
! grep -E 'libfmt|libcrypto' libraries.log | grep -v "$work_dir/remote" ||
  fail "the program needs libraries of the host"

# The tests of the version that ships go the same way; a dead host is no verdict of theirs.
cat >generated/axpy/adopted.json <<'EOF'
{"architectures": {"90a": {"version": "v001", "device": {"name": "a CPU"}, "time_us": 1}}}
EOF
succeeds rung.log "$kernelloop" check --config "$config" --rung smoke
expect "axpy v001: passed" rung.log
nothing_left
sed 's|"gpuhost"|"deadhost"|' "$config" >dead.json
KERNELLOOP_SSH_PATIENCE=0 exits 8 rung_dead.log "$kernelloop" check --config dead.json --rung smoke
expect "axpy: rung smoke was not run: no machine to be had" rung_dead.log

# Devices are those of the host, and what CTest shares out are GPUs by their UUID.
succeeds devices.log "$kernelloop" devices axpy
expect "  cpu  " devices.log
nothing_left
cat >two_gpus <<'EOF'
#!/bin/sh
echo '{"devices": [{"kind": "cuda", "name": "A", "uuid": "GPU-0a-1b"}, {"kind": "cuda", "name": "B", "uuid": "GPU-2c-3d"}]}'
EOF
chmod +x two_gpus
sed "s|\"device_launcher\": .*|\"device_launcher\": [\"$work_dir/two_gpus\"],|" "$config" >two.json
succeeds two.log "$kernelloop" devices --config two.json --resource-spec spec.json --slots 2
expect "GPU-2c-3d" two.log
[[ $(json spec.json local.0.gpus.1.id) == gpu_2c_3d && $(json spec.json local.0.gpus.1.slots) == 2 ]] || fail "spec.json"
succeeds ctest.log ctest --test-dir build --resource-spec-file "$work_dir/spec.json"

# One step by hand, the quickest there is.
step=("$device" reference --checks $op/checks.json --reference "$reference" --device cpu
  --output "$work_dir/out/reference.json")
exits 0 here.log "${step[@]}"
mv out/reference.json here.json
exits 0 there.log "$ssh_launcher" gpuhost "${step[@]}"
cmp here.json out/reference.json || fail "another result there than here"
cmp here.log there.log || fail "another line there than here"

# An error of the step is that of the step; of a line, that of the line.
echo '{}' >broken.json
exits 3 broken.log "$ssh_launcher" gpuhost "$device" reference --checks broken.json --reference "$reference" \
  --device cpu --output out/none.json
exits 2 usage.log "$ssh_launcher" gpuhost "$device" dance --output out/none.json
expect "'dance' is no step that a bundle can hold" usage.log

# Hosts that cannot be had are no verdict, and the next one is taken.
rm out/reference.json
export KERNELLOOP_SSH_PATIENCE=0
exits 8 dead.log "$ssh_launcher" deadhost "${step[@]}"
expect "kernelloop-ssh: deadhost: " dead.log
# With sockets of its own: the connection that is open was made with the right key.
mkdir -m 700 "$XDG_RUNTIME_DIR/own"
exits 8 changed.log env XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR/own" "$ssh_launcher" changed "${step[@]}"
expect "Host key verification failed" changed.log
[[ ! -e out/reference.json && ! -e out/none.json ]] || fail "something was written without a run"
exits 0 second.log "$ssh_launcher" deadhost,gpuhost "${step[@]}"
cmp here.json out/reference.json || fail "the second host was not taken"

# A login that prints something is not part of the result; what waiting does not mend is said at once.
export KERNELLOOP_SSH_PATIENCE=600
rm out/reference.json
# With connections of their own, as above: they differ in the key alone.
mkdir -m 700 "$XDG_RUNTIME_DIR"/{greeted,poor}
exits 0 greeting.log env XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR/greeted" "$ssh_launcher" greetinghost "${step[@]}"
cmp here.json out/reference.json || fail "another result behind a greeting"
cmp here.log greeting.log || fail "another line behind a greeting"
exits 8 poor.log env XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR/poor" timeout 60 "$ssh_launcher" poorhost "${step[@]}"
expect "kernelloop-ssh: poorhost: the step ended without a result: it has no setsid (util-linux)" poor.log
KERNELLOOP_SSH_DIR=$work_dir/broken.json exits 8 folder.log timeout 60 "$ssh_launcher" gpuhost "${step[@]}"
expect "Not a directory (exit code 73 of its shell)" folder.log
nothing_left

# Connections that break at any time: the same result, the step run once, and nothing left.
export KERNELLOOP_SSH_PATIENCE=60
(umask 0 && : >runs && : >running)  # the steps write there
cat >counting.sh <<EOF
#!/bin/sh
[ "\$1" = run ] && echo run >>"$work_dir/runs"
exec "$device" "\$@"
EOF
chmod +x counting.sh
for cut in 1 2 3; do
  rm -f out/reference.json
  "$ssh_launcher" gpuhost "$work_dir/counting.sh" "${step[@]:1}" >cut.log 2>&1 &
  launcher=$!
  for _ in 1 2 3; do
    sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
    break_connections
  done
  wait "$launcher" || { cat cut.log >&2; fail "cut $cut: no result"; }
  cmp here.json out/reference.json || fail "cut $cut: another result"
  cmp here.log cut.log || fail "cut $cut: another line"
done
[[ $(wc -l <runs) == 3 ]] || fail "$(wc -l <runs) runs of 3 steps"
nothing_left

# Connections that break after any number of bytes: while the program is copied, the bundle or the
# result. Five steps at a time, each over a connection of its own; every other one finds the program
# there.
{
  cat counting.sh
  head -c 2000000 /dev/urandom | base64
} >large.sh
chmod +x large.sh
cut_step() { # <number>: to its log and its own output
  local folder=$remote/warm
  (($1 % 2)) || folder=$remote/cold$1
  mkdir -p -m 700 "$XDG_RUNTIME_DIR/$1"
  CUT_AFTER=$work_dir/cut$1/limit XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR/$1 KERNELLOOP_SSH_DIR=$folder "$ssh_launcher" cuthost \
    "$work_dir/large.sh" "${step[@]:1:7}" --output "$work_dir/cut$1/reference.json" >"cut$1/log" 2>&1
}
# What passes when nothing breaks: cold, and warm (the first of those brings the program).
: >runs
for number in 1002 1001 1003; do
  mkdir cut$number
  echo inf >cut$number/limit
  cut_step $number || { cat cut$number/log >&2; fail "no result through the relay"; }
done
break_connections
passed=()
for number in 1002 1003; do
  for _ in $(seq 50); do [[ -s cut$number/limit.passed ]] && break; sleep 0.1; done
  passed+=("$(cat cut$number/limit.passed)")
done
: >runs
for ((number = 1; number <= cuts; ++number)); do
  mkdir "cut$number"
  echo $((1 + (RANDOM * 32768 + RANDOM) * passed[number % 2] / 1073741824)) >"cut$number/limit"
done
lane() {
  local number
  for ((number = $1; number <= cuts; number += 5)); do cut_step "$number" || return; done
}
lanes=()
for first in 1 2 3 4 5; do
  lane $first &
  lanes+=($!)
done
for lane in "${lanes[@]}"; do wait "$lane" || { tail -n 3 cut*/log >&2; fail "a broken transfer left no result"; }; done
broken=0
for ((number = 1; number <= cuts; ++number)); do
  cmp here.json "cut$number/reference.json" || fail "cut $number: another result"
  cmp here.log "cut$number/log" || fail "cut $number: another line"
  [[ ! -e cut$number/limit.passed ]] || ((++broken))
done
[[ $(wc -l <runs) == "$cuts" ]] || fail "$(wc -l <runs) runs of $cuts steps"
for folder in "$remote"/{warm,cold*}; do nothing_left "$folder"; done

# An interrupt ends what runs there. No process of the launcher holds a model's key.
export ANTHROPIC_API_KEY=marked-value-of-no-worth
cat >slow.sh <<'EOF'
#!/bin/sh
# Stands for a program that takes long: makes bundles, and sleeps when it is run.
case $1 in
  bundle) exec KERNELLOOP "$@" ;;
  *) echo $$ >RUNNING; exec sleep 300 ;;
esac
EOF
sed -i "s|KERNELLOOP|$device|; s|RUNNING|$work_dir/running|" slow.sh
chmod +x slow.sh
setsid "$ssh_launcher" gpuhost "$work_dir/slow.sh" "${step[@]:1}" >interrupted.log 2>&1 &
launcher=$!
for _ in $(seq 100); do [[ -s running ]] && break; sleep 0.1; done
[[ -s running ]] || fail "the slow step does not start"
for process in $(pgrep -g "$launcher") $(cat running); do
  ! grep -qaF "$ANTHROPIC_API_KEY" "/proc/$process/environ" || fail "holds the key: $(tr '\0' ' ' <"/proc/$process/cmdline")"
done
kill -TERM -- "-$launcher"
wait "$launcher" && fail "an interrupted step succeeds"
for _ in $(seq 50); do kill -0 "$(cat running)" 2>/dev/null || break; sleep 0.1; done
! kill -0 "$(cat running)" 2>/dev/null || fail "the step still runs on the host"
nothing_left
echo "$broken transfers broken off, as $ssh_user: nothing lost, nothing done twice"
