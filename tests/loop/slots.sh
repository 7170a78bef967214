#!/usr/bin/env bash
# Two builds and two runs of ctest at once on one device, a simulated one: no two of their steps time
# at the same time, as their records show, and none waits for ever.
#   slots.sh <source> <build> <work> [tries] [slots]: so many times, on so many devices; 1 unless told
source "$(dirname "$0")/harness.sh"
tries=${4:-1}
slots=${5:-1}

cd "$work_dir"
export KERNELLOOP_LOCK_DIR=$work_dir/locks
KERNELLOOP_CPU_SLOTS=$(seq -s, -f 'slot-%g' "$slots")
export KERNELLOOP_CPU_SLOTS
for tree in a b; do
  mkdir -p $tree/generated/axpy
  cp -r "$source_dir/docs/tutorial/ops" "$source_dir/docs/tutorial/references" $tree/
  for version in v001 v002; do
    mkdir $tree/generated/axpy/$version
    cp "$source_dir/docs/tutorial/first.cu" $tree/generated/axpy/$version/kernel.cu
  done
  cat >$tree/generated/axpy/adopted.json <<'END'
{"architectures": {"90a": {"version": "v001", "device": {"name": "a CPU"}, "time_us": 1}}}
END
  cat >$tree/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(slots LANGUAGES CXX)
enable_testing()
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$build_dir/bin/kernelloop-device")
set(KERNELLOOP_GPU_JOBS 2)
add_subdirectory("$source_dir" kernelloop-build)
add_kernel_op(axpy SPEC ops/axpy/op.json REFERENCE references/axpy.cpp VERSIONS 2 CANDIDATES 2
  PROVIDER manual DEVICE cpu)
END
  succeeds configure.log cmake -G Ninja -S $tree -B $tree/build
  succeeds reference.log cmake --build $tree/build --target axpy_reference
done

# The leases of all steps that timed, in the order of their beginnings: from, to, device.
leases() {
  local file
  for file in [ab]/build/kernelloop/axpy/v*/samples.json; do
    echo "$(json "$file" lease.from) $(json "$file" lease.to) $(json "$file" lease.device)"
  done | sort -n
}

steps=0
for ((try = 1; try <= tries; ++try)); do
  rm -f [ab]/build/kernelloop/axpy/v*/{verify,bench,samples}.json
  processes=()
  for tree in a b; do
    timeout 300 cmake --build $tree/build --target optimize_axpy >build_$tree.log 2>&1 &
    processes+=($!)
    timeout 300 ctest --test-dir $tree/build -j4 -R 'axpy[.](build|smoke)$' \
      --output-on-failure >ctest_$tree.log 2>&1 &
    processes+=($!)
  done
  for process in "${processes[@]}"; do
    wait "$process" || { cat build_?.log ctest_?.log >&2; fail "try $try: one did not come to a good end"; }
  done
  leases >leases.txt
  [[ $(wc -l <leases.txt) == 4 ]] || { cat leases.txt >&2; fail "try $try: not four steps that timed"; }
  awk -v slots="$slots" '
    $3 in last && $1 < last[$3] { print "overlap on " $3 " at " $1; bad = 1 }
    { last[$3] = $2; used[$3] = 1 }
    END { exit bad }' leases.txt || { cat leases.txt >&2; fail "try $try: two steps timed at once"; }
  steps=$((steps + $(wc -l <leases.txt)))
done
echo "$tries tries, $steps steps that timed, on $slots device(s): none at the same time as another on its device"
