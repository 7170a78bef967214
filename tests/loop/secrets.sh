#!/usr/bin/env bash
# secrets.sh <source> <build> <work>: a whole loop with a marked key, asked over HTTP, with an answer
# that repeats the key. Then no file, no log, no command line and no environment of what the loop
# starts may hold it.
source "$(dirname "$0")/harness.sh"

# Put together here, so that this script is not found itself.
key="marked-$(printf 'value')-4711-of-no-worth"
encoded=$(printf %s "$key" | base64 -w0)
encoded=${encoded:0:32}

cd "$work_dir"
cp -r "$source_dir/docs/tutorial/ops" "$source_dir/docs/tutorial/references" .
first=$(cat "$source_dir/docs/tutorial/first.cu")
printf 'Summary: with %s\n\n```cuda\n%s\n```\n' "$key" "$first" >"$work_dir/../secrets_answer.md"
trap 'rm -f "$work_dir/../secrets_answer.md"' EXIT
cat >script.json <<JSON
[ {"kind": "drip", "text_file": "$work_dir/../secrets_answer.md"} ]
JSON

# What the compilers see.
cat >compiler <<'SH'
#!/bin/sh
env >>"${0%/*}/compiler.env"
exec c++ "$@"
SH
chmod +x compiler
cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(secrets LANGUAGES CXX)
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$build_dir/bin/kernelloop-device")
set(KERNELLOOP_HOST_COMPILER "$work_dir/compiler")
add_subdirectory("$source_dir" kernelloop-build)
add_kernel_op(axpy SPEC ops/axpy/op.json REFERENCE references/axpy.cpp VERSIONS 1
  PROVIDER openai-chat MODEL stub DEVICE cpu)
CMAKE
"$build_dir/tests/loop/ask/kernelloop_stub_server" --port-file port --script script.json --report report.json &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -f "$work_dir/../secrets_answer.md"' EXIT
for _ in $(seq 100); do [[ -s port ]] && break; sleep 0.1; done
export KERNELLOOP_OPENAI_CHAT_BASE_URL="http://127.0.0.1:$(cat port)/v1"
succeeds configure.log cmake -G Ninja -S . -B build
# The reference is the user's own code, compiled by the user's own Ninja: no step of ours.
succeeds reference.log cmake --build build --target axpy_reference
export KERNELLOOP_OPENAI_CHAT_API_KEY=$key

# Looks at all processes as long as the build runs. The key may stand in the environment of those
# that we start ourselves (Ninja and its shells) and of the two that ask. Our other programs get it
# from Ninja and wipe it at their very beginning: once seen, the next look must not find it.
look() {
  local process pid name arguments
  local -A held=()
  while kill -0 "$1" 2>/dev/null; do
    for process in /proc/[0-9]*; do
      pid=${process#/proc/}
      [[ $pid != "$$" ]] || continue
      arguments=$({ tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null) || continue
      [[ $arguments != *"$key"* ]] || echo "command line: $arguments"
      grep -qaF "$key" "$process/environ" 2>/dev/null || continue
      name=$(cat "$process/comm" 2>/dev/null) || continue
      case "$name $arguments" in
        ninja* | cmake* | sh\ * | bash* | setsid* | sleep* | grep* | cat* | tr\ * | ctest* | kernelloop_stub*) ;;
        *"kernelloop propose"* | *"kernelloop courier"*) ;;
        kernelloop*)
          [[ -z ${held[$pid]:-} ]] || echo "still in the environment: $arguments"
          held[$pid]=1
          ;;
        *) echo "environment: $name: $arguments" ;;
      esac
    done
    sleep 0.05
  done
}
setsid cmake --build build --target optimize_axpy >build.log 2>&1 &
build=$!
look "$build" >seen.txt
wait "$build" || { cat build.log >&2; fail "the build fails"; }
kill -TERM "$server"
wait "$server" || true

[[ -s generated/axpy/v001/kernel.cu && -s compiler.env ]] || fail "no version, or no compiler was run"
expect '[key]' generated/axpy/v001/conversation.json
if [[ -s seen.txt ]]; then
  cat seen.txt >&2
  fail "the key was seen"
fi
unset KERNELLOOP_OPENAI_CHAT_API_KEY

# What it cost, from anywhere in the project.
"$kernelloop" cost axpy >cost.log
expect "openai-chat stub" cost.log
(cd build/kernelloop && "$kernelloop" cost axpy --build-dir .. >../../cost_below.log)
cmp cost.log cost_below.log || fail "the ledger is not found from below"
refuses cost_typo.log "$kernelloop" cost apxy
expect "did you mean \`axpy\`?" cost_typo.log
for text in "$key" "$encoded"; do
  if grep -rlaF -- "$text" .; then fail "a file holds the key"; fi
done
echo "0 found in $(find . -type f | wc -l) files"
