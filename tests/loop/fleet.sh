#!/usr/bin/env bash
# An operator for two classes of GPUs, which are stood in for: verified and timed on each through
# its own launcher, adopted for each by its own times, evidence of each, one library for both.
source "$(dirname "$0")/harness.sh"

nvcc=$(command -v nvcc || true)
[[ -n $nvcc ]] || nvcc=/usr/local/cuda/bin/nvcc
[[ -x $nvcc ]] || {
  echo "skipped: no nvcc, which compiles for GPUs"
  exit 77
}
cd "$work_dir"
cp "$source_dir"/tests/loop/stand_in.{sh,cmake} .
cp -r "$source_dir"/docs/tutorial/{ops,references,app.cpp} .
mkdir -p generated/axpy/v001 generated/axpy/v002
cp "$source_dir/docs/tutorial/first.cu" generated/axpy/v001/kernel.cu
cp "$source_dir/docs/tutorial/second.cu" generated/axpy/v002/kernel.cu
op=$work_dir/build/kernelloop/axpy
stand_in() { # <name> <architecture> <times>
  echo "$work_dir/stand_in.sh \"$1\" $2 $3 $op $work_dir/build-cpu/kernelloop/axpy"
}
configure() { # <times on the H200> <times on the A100>
  cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(fleet LANGUAGES CXX)
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$build_dir/bin/kernelloop-device")
set(KERNELLOOP_NVCC "$nvcc")
set(KERNELLOOP_ARCHITECTURES 90a 80)
if(NOT CPU)
  set(KERNELLOOP_DEVICE_LAUNCHER $(stand_in "NVIDIA H200" sm_90 "$1"))
  set(KERNELLOOP_DEVICE_LAUNCHER_80 $(stand_in "NVIDIA A100" sm_80 "$2"))
endif()
add_subdirectory("$source_dir" kernelloop-build)
if(CPU)
  set(device cpu)
else()
  set(device cuda)
endif()
add_kernel_op(axpy SPEC ops/axpy/op.json REFERENCE references/axpy.cpp VERSIONS 2 CANDIDATES 2
  PROVIDER manual DEVICE \${device})
add_executable(app EXCLUDE_FROM_ALL app.cpp)
target_link_libraries(app PRIVATE kernelloop::axpy)
END
  succeeds configure.log cmake -G Ninja -S . -B build
}
configure 50,40 70,90
# What stands in for the GPUs works with builds for the CPU device.
succeeds configure_cpu.log cmake -G Ninja -S . -B build-cpu -D CPU=ON
succeeds cpu.log cmake --build build-cpu --target kernelloop/axpy/v00{1,2}/compile.json

# The loop runs on one class, the fleet on the other; what is judged is not judged again.
succeeds optimize.log cmake --build build --target optimize_axpy
succeeds fleet.log cmake --build build --target fleet_axpy
expect "axpy on 80: v001 70.0 µs on NVIDIA A100" fleet.log
expect "axpy on 80: v002 90.0 µs on NVIDIA A100" fleet.log
sort stand_in.log >steps.log
for step in "sm_80 bench v001" "sm_80 bench v002" "sm_80 verify v001" "sm_80 verify v002" \
  "sm_90 bench v001" "sm_90 bench v002" "sm_90 verify v001" "sm_90 verify v002"; do
  [[ $(grep -cx "$step" steps.log) == 1 ]] || { cat steps.log >&2; fail "not run once: $step"; }
done
succeeds again.log cmake --build build --target fleet_axpy
cmp -s steps.log <(sort stand_in.log) || fail "a class judged what it had judged"

succeeds adopt.log cmake --build build --target adopt_axpy
adopted=generated/axpy/adopted.json
adoption() { # <architecture> <version> <device> <file of evidence>
  local entry=architectures.$1
  [[ $(json $adopted "$entry.version") == "$2" ]] || fail "$1 has another version than $2"
  [[ $(json $adopted "$entry.device.name") == "$3" ]] || fail "$1 was judged on another device"
  [[ $(json $adopted "$entry.evidence") == "reports/axpy/$4" ]] || fail "$1 has other evidence"
  [[ $(json "reports/axpy/$4" version) == "$2" ]] || fail "evidence of another version than $2"
  [[ $(json "reports/axpy/$4" device.name) == "$3" ]] || fail "evidence of another device"
}
adoption 90a v002 "NVIDIA H200" nvidia-h200.json
adoption 80 v001 "NVIDIA A100" nvidia-a100.json

# One library holds what each class runs, and a program links it.
succeeds app.log cmake --build build --target app
library=$(find build -name axpy.cpp -path '*kernelloop*' | head -n 1)
for text in v001 v002 "NVIDIA H200" "NVIDIA A100"; do expect "$text" "$library"; done

# On one class another version becomes the fastest: compared there, and the other class stays.
rm build/kernelloop/axpy/fleet/80/v*/bench.json
: >stand_in.log
configure 50,40 70,60
succeeds fleet2.log cmake --build build --target fleet_axpy
expect "axpy on 80: v002 60.0 µs on NVIDIA A100" fleet2.log
succeeds adopt2.log cmake --build build --target adopt_axpy
grep -q "^sm_80 compare" stand_in.log || fail "not compared on its class"
! grep -q "^sm_90 compare" stand_in.log || fail "compared on the other class, too"
adoption 80 v002 "NVIDIA A100" nvidia-a100.json
adoption 90a v002 "NVIDIA H200" nvidia-h200.json
succeeds app2.log cmake --build build --target app
expect "axpy v002 (sm_90a, sm_80; verified on NVIDIA H200, NVIDIA A100; " "$library"
! grep -q v001 "$library" || fail "the library holds what no class ships"
echo "two classes: verified, timed and adopted on each; one library"
