#!/usr/bin/env bash
# A version in Triton that lists configurations: each becomes a version of its own, verified and timed
# on a GPU, and nobody is asked.
triton_python=${KERNELLOOP_TRITON_PYTHON:-}
source "$(dirname "$0")/harness.sh"
[[ -z $triton_python ]] || export KERNELLOOP_TRITON_PYTHON=$triton_python

skip() {
  echo "skipped: $*"
  exit 77
}
"$build_dir/bin/kernelloop-device" info --device cuda >"$work_dir/info.log" 2>&1 ||
  skip "no GPU to time configurations on: $(tail -1 "$work_dir/info.log")"
"$kernelloop" toolchain list >"$work_dir/toolchains.log" 2>&1 || true
grep -q '^TRITON: triton ' "$work_dir/toolchains.log" ||
  skip "$(grep '^TRITON' "$work_dir/toolchains.log")"

succeeds "$work_dir/install.log" cmake --install "$build_dir" --prefix "$work_dir/prefix"
export CMAKE_PREFIX_PATH=$work_dir/prefix${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
cp -r "$source_dir/docs/tutorial" "$work_dir/project"
cd "$work_dir/project"
cat >CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(tune LANGUAGES CXX)
enable_testing()
find_package(KernelLoop REQUIRED)
# No roofline ends it: all three configurations are tried.
add_kernel_op(
  axpy
  SPEC ops/axpy/op.json
  REFERENCE references/axpy.cpp
  LANGUAGE TRITON
  VERSIONS 3
  PROVIDER manual
  SOL_TARGET 1
  DEVICE cuda
)
TEXT
mkdir -p generated/axpy/v001
cat >generated/axpy/v001/kernel.triton.py <<'TEXT'
"""kernelloop:plan
{ "launches": [
    { "kernel": "axpy", "grid": ["ceil_div(n, 128)"], "args": ["z", "x", "y", "alpha", "n"],
      "constants": {"BLOCK": 128},
      "configurations": [
        {"options": {"num_warps": 1}},
        {"grid": ["ceil_div(n, 1024)"], "constants": {"BLOCK": 1024}, "options": {"num_warps": 8}},
        {"grid": ["ceil_div(n, 4096)"], "constants": {"BLOCK": 4096}, "options": {"num_warps": 8}} ] } ] }
"""
import triton
import triton.language as tl


@triton.jit
def axpy(z, x, y, alpha, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, alpha * tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
TEXT

succeeds configure.log cmake -G Ninja -B build
succeeds optimize.log cmake --build build --target optimize_axpy
for version in v001 v002 v003; do
  [[ $(json build/kernelloop/axpy/$version/verify.json status) == passed ]] || fail "$version is not right"
  [[ $(json build/kernelloop/axpy/$version/bench.json status) == measured ]] || fail "$version was not timed"
done
[[ $(json build/kernelloop/axpy/v001/compile.json configurations) == 3 ]] || fail "v001 lists three"
for version in v002 v003; do
  [[ $(json generated/axpy/$version/origin.json mode) == tune ]] || fail "$version is no configuration"
  [[ $(json generated/axpy/$version/origin.json parent) == v001 ]] || fail "$version is not of v001"
  [[ $(json generated/axpy/$version/origin.json provider) == none ]] || fail "somebody was asked for $version"
done
expect '1024' generated/axpy/v002/kernel.triton.py
expect '4096' generated/axpy/v003/kernel.triton.py
[[ -z $(find generated -name prompt.md) ]] || fail "somebody was asked"
no_work build optimize_axpy
succeeds report.log cmake --build build --target report_axpy
expect "tune" report.log
cat report.log
succeeds adopt.log cmake --build build --target adopt_axpy
succeeds all.log cmake --build build
succeeds ctest.log ctest --test-dir build --output-on-failure
