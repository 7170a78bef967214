#!/usr/bin/env bash
# Follows `kernelloop agent-guide` to the letter on the tutorial's operator: every command in it is
# run as it stands, and the files that the commands name are written. Then the person steers.
source "$(dirname "$0")/harness.sh"

# A path that a shell has to be told of.
cp -r "$source_dir/docs/tutorial" "$work_dir/my (first) project"
cd "$work_dir/my (first) project"
cat >CMakeLists.txt <<EOF2
cmake_minimum_required(VERSION 3.25)
project(guide LANGUAGES CXX)
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$build_dir/bin/kernelloop-device")
include(CTest)
add_subdirectory("$source_dir" kernelloop-build)
add_kernel_op(axpy SPEC ops/axpy/op.json REFERENCE references/axpy.cpp VERSIONS 3 CONTEXT notes
  PROVIDER manual DEVICE cpu)
EOF2
mkdir notes
printf "# Zebra\nA stripe per thread block keeps axpy simple.\n" >notes/ideas.md
succeeds configure.log cmake -G Ninja -B build

"$kernelloop" agent-guide axpy >guide.md
# The commands of the guide, in order: one block of each.
awk '/^```sh$/ {n++; inside = 1; next} /^```$/ {inside = 0} inside {print > ("guide" n ".sh")}' guide.md
[[ -f guide6.sh && ! -f guide7.sh ]] || fail "the guide has other commands than this test knows"
build_it=(bash guide1.sh)
ask=(bash guide2.sh)

status() {
  "${ask[@]}" >status.json
  json status.json "ops.0.$1"
}

# The live view of another terminal; its output goes to a file.
"$kernelloop" watch axpy --interval 50 >watch.log 2>&1 &
watcher=$!

for source in first second; do
  refuses build.log "${build_it[@]}"
  [[ $(status state) == waiting ]] || fail "state is $(status state), not waiting"
  file=$(status detail)
  expect "$file" build.log
  [[ -f $(dirname "$file")/prompt.md ]] || fail "there is no prompt beside $file"
  if [[ $source == first ]]; then
    echo "this is no kernel" >"$file"
    refuses build.log "${build_it[@]}"
    [[ -s $(dirname "$file")/feedback.md ]] || fail "feedback.md does not say what is wrong"
  fi
  cp "$source.cu" "$file"
done
refuses build.log "${build_it[@]}"
[[ $(status version) == v003 && $(status verified) == 2 ]] || fail "two versions should be right"

succeeds read.log bash guide3.sh
expect "v002" read.log
expect "axpy v001: seed by manual" read.log
expect "round 2: v002" read.log
succeeds context.log bash guide4.sh
expect "context/sm_" context.log
"$kernelloop" context axpy "zebra" >zebra.log
refuses other.log "$kernelloop" context --config build/kernelloop/axpy/config.json "zebra"
expect "is of the operator axpy, not zebra; name axpy too" other.log
expect "notes/ideas.md:1" zebra.log
refuses two_ways.log "$kernelloop" context axpy "zebra" --list notes
expect "query excludes --list" two_ways.log

# A fork, a note and a hint: the next prompt has them, and nothing is verified again.
before=$(stat -c %y build/kernelloop/axpy/v00[12]/*.json)
echo "Count the zebras." >generated/axpy/v001/feedback.md
echo "Mind the tail." >ops/axpy/hints.md
succeeds steer.log bash guide5.sh
expect "the round of v003 starts from v001" steer.log
refuses build.log "${build_it[@]}"
prompt=generated/axpy/.pending/v003/prompt.md
expect "The version to start from: v001" "$prompt"
expect "Count the zebras." "$prompt"
expect "Mind the tail." "$prompt"
[[ $before == $(stat -c %y build/kernelloop/axpy/v00[12]/*.json) ]] || fail "steering ran steps again"

# A fork can be taken back, and what it forks from cannot be thrown out with it.
refuses reject_parent.log "$kernelloop" steer axpy --reject v001 --reason "old"
expect "add --unfork, or --accept v001" reject_parent.log
succeeds unfork.log "$kernelloop" steer axpy --unfork
expect "nothing is steered" unfork.log

# A rejected version is not best; the reason reaches the prompt and adoption.
best=$(status best)
succeeds reject.log "$kernelloop" steer axpy --reject "$best" --reason "too many stripes"
refuses build.log "${build_it[@]}"
expect "$best: too many stripes" "$prompt"
[[ $(status best) != "$best" ]] || fail "$best is still best"
refuses adopt_rejected.log "$kernelloop" adopt --config build/kernelloop/axpy/config.json --version "$best"
expect "was rejected by the engineer: too many stripes" adopt_rejected.log
succeeds accept.log "$kernelloop" steer axpy --accept "$best"

# By hand, past the provider: a version that stands in its place is taken as it is.
mkdir generated/axpy/v003
cp second.cu generated/axpy/v003/kernel.cu
succeeds build.log "${build_it[@]}"
[[ $(status state) == finished ]] || fail "state is $(status state), not finished"
no_work build optimize_axpy

# Read by any program that reads a pipe, and ended by itself.
wait "$watcher" || fail "watch should end with the loop"
expect "axpy v001 proposed: seed by manual" watch.log
expect "axpy v002 verified: passed" watch.log
expect "axpy v003 proposed, by hand" watch.log
expect "axpy: finished: all 3 rounds are used" watch.log
! grep -q $'\x1b' watch.log || fail "escape sequences in a file"

succeeds over.log bash guide6.sh
expect "kernelloop.axpy.provenance" over.log
