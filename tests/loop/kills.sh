#!/usr/bin/env bash
# kills.sh <source> <build> <work> [kills] [seed]: kills a whole optimise run (Ninja and all it
# started) at random moments against the stub server, lets it finish, and counts what was lost.
kills=${4:-4}
RANDOM=${5:-$$}
source "$(dirname "$0")/harness.sh"

cd "$work_dir"
cp -r "$source_dir/docs/tutorial/ops" "$source_dir/docs/tutorial/references" .
first=$(cat "$source_dir/docs/tutorial/first.cu")
second=$(cat "$source_dir/docs/tutorial/second.cu")
# The second with half the block: another version, not a duplicate.
third=${second//256/128}
[[ $third != "$second" ]] || fail "docs/tutorial/second.cu has no block of 256"
answer() { printf 'Summary: %s\n\n```cuda\n%s\n```\n' "$1" "$2"; }
answer "does not compile" "${first/;/ oops}" >a1.md
answer "plain" "$first" >a2.md
answer "vectors" "$second" >a3.md
answer "smaller blocks" "$third" >a4.md
cat >script.json <<EOF
[ {"kind": "drip", "text_file": "$work_dir/a1.md"}, {"kind": "whole", "text_file": "$work_dir/a2.md"},
  {"kind": "json", "text_file": "$work_dir/a3.md"}, {"kind": "drip", "text_file": "$work_dir/a1.md"},
  {"kind": "whole", "text_file": "$work_dir/a3.md"}, {"kind": "whole", "text_file": "$work_dir/a4.md"} ]
EOF

total_replies=0 total_versions=0 lost=0 paid_twice=0 corrupt=0 done_kills=0 lap=0
while ((done_kills < kills)); do
  lap=$((lap + 1))
  project=$work_dir/lap$lap
  mkdir -p "$project"
  cp -r ops references "$project"
  cat >"$project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(kills LANGUAGES CXX)
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$build_dir/bin/kernelloop-device")
add_subdirectory("$source_dir" kernelloop-build)
add_kernel_op(axpy SPEC ops/axpy/op.json REFERENCE references/axpy.cpp VERSIONS 3
  PROVIDER openai-chat MODEL stub DEVICE cpu)
EOF
  # A run with its kills may take long on a busy machine: the server outlasts it and ends by our signal.
  "$build_dir/tests/loop/ask/kernelloop_stub_server" --port-file "$project/port" \
    --script script.json --report "$project/report.json" --seconds 86400 &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT
  for _ in $(seq 100); do [[ -s $project/port ]] && break; sleep 0.1; done
  export KERNELLOOP_OPENAI_CHAT_BASE_URL="http://127.0.0.1:$(cat "$project/port")/v1"
  succeeds "$project/configure.log" cmake -G Ninja -S "$project" -B "$project/build"
  build=(cmake --build "$project/build" --target optimize_axpy)

  # Up to 12 kills a run, so that the later steps get their share too.
  for _ in $(seq 12); do
    ((done_kills < kills)) || break
    setsid "${build[@]}" >>"$project/killed.log" 2>&1 &
    session=$!
    sleep "$((RANDOM % 4)).$((RANDOM % 10))"
    kill -0 "$session" 2>/dev/null || break
    # Again until none is left: Ninja may start a step while pkill goes through the list, and a step
    # that lives on would write its result in the middle of the next build.
    while pkill -KILL --session "$session"; do sleep 0.01; done
    wait "$session" 2>/dev/null || true
    done_kills=$((done_kills + 1))
  done
  succeeds "$project/finish.log" "${build[@]}"
  no_work "$project/build" optimize_axpy
  kill -TERM "$server" || fail "the stub server ended before the run did"
  wait "$server" || true
  trap - EXIT

  replies=$(json "$project/report.json" requests)
  twice=$(json "$project/report.json" paid_twice)
  turns=0
  for version in "$project"/generated/axpy/v*; do
    total_versions=$((total_versions + 1))
    [[ -s $version/kernel.cu && -s $version/origin.json ]] || corrupt=$((corrupt + 1))
    count=$(json "$version/origin.json" turns) || corrupt=$((corrupt + 1))
    turns=$((turns + count))
  done
  while IFS= read -r file; do
    json "$file" schema_version >/dev/null 2>&1 || { echo "corrupt: $file" >&2; corrupt=$((corrupt + 1)); }
  done < <(find "$project/build/kernelloop/axpy" "$project/generated" -name '*.json' ! -name 'samples.json')
  total_replies=$((total_replies + replies))
  paid_twice=$((paid_twice + twice))
  lost=$((lost + (replies > turns ? replies - turns : 0)))
done
echo "kills: $done_kills, runs: $lap, versions: $total_versions, replies: $total_replies"
echo "replies lost: $lost, paid twice: $paid_twice, corrupt files: $corrupt"
((lost == 0 && paid_twice == 0 && corrupt == 0)) || fail "see $work_dir"
