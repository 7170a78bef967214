#!/usr/bin/env bash
# The operators that ship, replayed into a scratch copy on the CPU device: things go wrong and are
# mended as recorded, the working tree stays clean, nothing is done twice.
source "$(dirname "$0")/harness.sh"

scratch=$work_dir/scratch
project=$work_dir/project
mkdir -p "$project"
cat >"$project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(replay LANGUAGES CXX)
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$build_dir/bin/kernelloop-device")
set(KERNELLOOP_GENERATED_DIR "$scratch/generated")
set(KERNELLOOP_REPORTS_DIR "$scratch/reports")
set(KERNELLOOP_RECORDINGS_DIR "$source_dir/generated")
add_subdirectory("$source_dir" kernelloop-build)
add_kernel_op(softmax SPEC "$source_dir/ops/softmax/op.json"
  REFERENCE "$source_dir/references/softmax.cpp" VERSIONS 3 PROVIDER replay DEVICE cpu)
EOF
cd "$work_dir"
succeeds configure.log cmake -G Ninja -S project -B build
before=$(cd "$source_dir" && find generated ops references -type f -exec sha256sum {} + | sort)

succeeds loop.log cmake --build build --target optimize_softmax
[[ $(json build/kernelloop/softmax/v001/verify.json status) == failed ]] || fail "v001 should be wrong"
[[ $(json build/kernelloop/softmax/v001/bench.json status) == skipped ]] || fail "v001 should not be timed"
[[ $(json build/kernelloop/softmax/v002/verify.json status) == passed ]] || fail "v002 should be right"
[[ $(json build/kernelloop/softmax/v003/bench.json status) == measured ]] || fail "v003 should be timed"
[[ $(json scratch/generated/softmax/v001/conversation.json turns.0.outcome.status) == compile_failed ]] ||
  fail "the first answer of v001 should not compile"
no_work build optimize_softmax

# Neither clean nor a lost build folder asks again: the versions are there, and stay as they are. The
# first steps show it.
sed -i 's/^/x/' scratch/generated/softmax/v002/conversation.json
versions=$(find scratch/generated -type f -exec sha256sum {} + | sort)
succeeds clean.log cmake --build build --target clean
[[ ! -e build/kernelloop/softmax/v001/compile.json ]] || fail "clean left the results"
succeeds again.log cmake --build build --target kernelloop/softmax/v001/compile.json
rm -rf build
succeeds configure2.log cmake -G Ninja -S project -B build
succeeds third.log cmake --build build --target kernelloop/softmax/v002/compile.json
[[ $(json build/kernelloop/softmax/v002/compile.json status) == compiled ]] || fail "v002 should be compiled again"
[[ $versions == "$(find scratch/generated -type f -exec sha256sum {} + | sort)" ]] || fail "a version was asked for again"

after=$(cd "$source_dir" && find generated ops references -type f -exec sha256sum {} + | sort)
[[ $before == "$after" ]] || fail "the working tree changed"
