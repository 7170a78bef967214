#!/usr/bin/env bash
# Verifications share a device with one another where KERNELLOOP_SHARE_GPU is ON; a step that times
# has it alone: it waits until they have ended, and no other joins them meanwhile.
source "$(dirname "$0")/harness.sh"

cd "$work_dir"
export KERNELLOOP_LOCK_DIR=$work_dir/locks
export KERNELLOOP_CPU_SLOTS=slot
mkdir -p generated/axpy/v001
cp -r "$source_dir/docs/tutorial/ops" "$source_dir/docs/tutorial/references" .
cp "$source_dir/docs/tutorial/first.cu" generated/axpy/v001/kernel.cu
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(sharing LANGUAGES CXX)
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$build_dir/bin/kernelloop-device")
set(KERNELLOOP_SHARE_GPU ON)
add_subdirectory("$source_dir" kernelloop-build)
add_kernel_op(axpy SPEC ops/axpy/op.json REFERENCE references/axpy.cpp VERSIONS 1
  PROVIDER manual DEVICE cpu)
END
results=kernelloop/axpy/v001
succeeds configure.log cmake -G Ninja -S . -B build
succeeds verify.log cmake --build build --target $results/verify.json
# The command of a step, as the build runs it.
step() {
  ninja -C build -t commands "$results/$1.json" | tail -n 1
}
step verify >verify.sh
step bench >bench.sh
expect "verify --contract" verify.sh
expect "--share-gpu" verify.sh
! grep -q -- --share-gpu bench.sh || fail "a step that times shares its device"

# Another verification, which lasts until it is told to end.
mkfifo end
flock -s locks/gpu-slot.lock sh -c 'echo there >holder.log; cat end' &
holder=$!
until [[ -s holder.log ]]; do sleep 0.05; done
succeeds shared.log timeout 120 bash verify.sh
expect "axpy v001" shared.log

bash bench.sh >bench.log 2>&1 &
bench=$!
until grep -q "waiting for a GPU" bench.log; do
  kill -0 $bench 2>/dev/null || { cat bench.log >&2; fail "a timing did not wait for its device"; }
  sleep 0.05
done
bash verify.sh >late.log 2>&1 &
late=$!
until grep -q "waiting for a GPU" late.log; do
  kill -0 $late 2>/dev/null || { cat late.log >&2; fail "a verification went before a timing"; }
  sleep 0.05
done
[[ ! -e build/$results/bench.json ]] || fail "a timing shared its device"
echo >end
wait $holder $bench $late || { cat bench.log late.log >&2; fail "one of the steps failed"; }
[[ "$(json build/$results/bench.json status)" == measured ]] || fail "it was not timed"
echo "verifications shared a device; the timing had it alone"
