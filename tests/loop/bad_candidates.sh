#!/usr/bin/env bash
# Bad candidates are data: each ends in its verdict, the build goes on, nothing is lost.
source "$(dirname "$0")/harness.sh"

cd "$work_dir"
cp -r "$source_dir/docs/tutorial/ops" "$source_dir/docs/tutorial/references" .
# The kernel without end is stopped after 2 seconds instead of a minute.
cat >impatient.sh <<'EOF'
#!/bin/sh
case "$*" in *" verify "*/v002/*) set -- "$@" --launch-timeout 2 ;; esac
exec "$@"
EOF
chmod a+rx impatient.sh
cases=(syntax endless out_of_bounds too_much_shared argument_size missing_kernel prints wrong divergent)
cat >CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(bad LANGUAGES CXX)
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$build_dir/bin/kernelloop-device")
set(KERNELLOOP_DEVICE_LAUNCHER "$work_dir/impatient.sh")
add_subdirectory("$source_dir" kernelloop-build)
add_kernel_op(axpy SPEC ops/axpy/op.json REFERENCE references/axpy.cpp VERSIONS ${#cases[@]}
  PROVIDER manual DEVICE cpu)
EOF

plan() {
  cat <<EOF
/* kernelloop:plan
{ "launches": [ { "kernel": "${1:-axpy}", "grid": ["ceil_div(n, 256)"], "block": [256]${2:-},
    "args": ["alpha", "x", "y", "z", "n"] } ] }
*/
EOF
}
signature='extern "C" __global__ void axpy(float alpha, const float* x, const float* y, float* z, int n)'
index='const int i = blockIdx.x * blockDim.x + threadIdx.x;'
write() { mkdir -p "generated/axpy/$(printf 'v%03d' "$1")" && cat >"generated/axpy/$(printf 'v%03d' "$1")/kernel.cu"; }

{ plan; echo "$signature { $index if (i < n) z[i] = alpha * x[i] + y[i] }"; } | write 1
{ plan; echo "$signature { while (true) { __syncthreads(); } }"; } | write 2
{ plan; echo "$signature { $index z[i + 100000] = alpha; }"; } | write 3
{ plan axpy ', "dynamic_shared_bytes": "4000000"'; echo "$signature { $index if (i < n) z[i] = alpha * x[i] + y[i]; }"; } | write 4
{ plan; echo "${signature/int n/char n} { $index if (i < n) z[i] = alpha * x[i] + y[i]; }"; } | write 5
{ plan axpi; echo "$signature { $index if (i < n) z[i] = alpha * x[i] + y[i]; }"; } | write 6
{ plan; echo '#include <cstdio>'; echo "$signature { $index printf(\"%d\", i); if (i < n) z[i] = alpha * x[i] + y[i]; }"; } | write 7
{ plan; echo "$signature { $index if (i < n) z[i] = alpha * x[i] - y[i]; }"; } | write 8
# Two barriers on two lines: which thread waits at which is told by line.
{
  plan
  echo "$signature { $index if (threadIdx.x < 7) __syncthreads();"
  echo "  if (i < n) z[i] = alpha * x[i] + y[i]; __syncthreads(); }"
} | write 9

succeeds configure.log cmake -G Ninja -B build
succeeds loop.log timeout 800 cmake --build build --target optimize_axpy
history=build/kernelloop/axpy/v009/history.json
for version in 0 3 4 5 6; do
  [[ $(json $history versions.$version.status) == compile_failed ]] || fail "version index $version: $(json $history versions.$version.status)"
done
for version in 1 2 7 8; do
  [[ $(json $history versions.$version.status) == wrong ]] || fail "version index $version: $(json $history versions.$version.status)"
done
expect "timeout" build/kernelloop/axpy/v002/verify.json
expect "no end after 2 s" build/kernelloop/axpy/v002/verify.json
expect "illegal_access" build/kernelloop/axpy/v003/verify.json
expect "shared memory" build/kernelloop/axpy/v004/compile.json
expect "axpi" build/kernelloop/axpy/v006/compile.json
expect "divergent_barrier" build/kernelloop/axpy/v009/verify.json
expect "printf" build/kernelloop/axpy/v007/compile.json
no_work build optimize_axpy
