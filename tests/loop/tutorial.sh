#!/usr/bin/env bash
# Follows docs/tutorial.md to the letter, with the installed package and on the CPU device.
source "$(dirname "$0")/harness.sh"

# The page shows the files as they are.
page=$source_dir/docs/tutorial.md
for file in ops/axpy/op.json references/axpy.cpp CMakeLists.txt first.cu second.cu app.cpp; do
  content=$(cat "$source_dir/docs/tutorial/$file")
  [[ $(cat "$page") == *"$content"* ]] || fail "docs/tutorial.md does not show docs/tutorial/$file as it is"
done

succeeds "$work_dir/install.log" cmake --install "$build_dir" --prefix "$work_dir/prefix"
cp -r "$source_dir/docs/tutorial" "$work_dir/tutorial"
cd "$work_dir/tutorial"
export CMAKE_PREFIX_PATH=$work_dir/prefix

succeeds configure.log cmake -G Ninja -B build -DKERNELLOOP_DEVICE=cpu

refuses waits.log cmake --build build --target optimize_axpy
expect "generated/axpy/.pending/v001/kernel.cu" waits.log

cp first.cu generated/axpy/.pending/v001/kernel.cu
refuses waits2.log cmake --build build --target optimize_axpy
expect "generated/axpy/.pending/v002/kernel.cu" waits2.log
[[ $(json build/kernelloop/axpy/v001/verify.json status) == passed ]] || fail "v001 is not verified"
expect "wall time (CPU emulation" build/kernelloop/axpy/v001/feedback.md

cp second.cu generated/axpy/.pending/v002/kernel.cu
succeeds done.log cmake --build build --target optimize_axpy
succeeds report.log cmake --build build --target report_axpy
expect "v001" report.log
expect "v002" report.log
expect "wall, CPU device" report.log
expect "all 2 rounds are used" report.log
no_work build optimize_axpy
no_work build report_axpy
expect "is the fastest verified version" reports/axpy/cpu.md
expect "wall time in the emulation, which is no GPU time" reports/axpy/cpu.html
expect 'href="axpy/cpu.html"' reports/index.html
refuses unknown.log "$kernelloop" report axpi --build-dir build
expect "axpy" unknown.log
refuses nvbench.log "$kernelloop" report axpy --build-dir build --nvbench out.json
expect "it was timed on the CPU device" nvbench.log
refuses nvbench.log "$kernelloop" report axpy --build-dir build --nvbench out.json --version second
expect "--version second: a version is named v001, v002, ..." nvbench.log
[[ ! -e out.json ]] || fail "a refused export was written"

# Before anything ships there is nothing to tell the origin of.
succeeds unadopted.log ctest --test-dir build -V -R "axpy.provenance"
expect "skipped: axpy has no adopted version yet; build optimize_axpy, then adopt_axpy" unadopted.log
succeeds adopt.log cmake --build build --target adopt_axpy
expect "is adopted" reports/axpy/cpu.md
[[ -f generated/axpy/adopted.json ]] || fail "nothing was adopted"
succeeds all.log cmake --build build
succeeds ctest.log ctest --test-dir build --output-on-failure
expect "kernelloop.axpy.provenance" ctest.log

# Somebody edits what ships: the gate says so until it is verified again.
version=$(json generated/axpy/adopted.json architectures.90a.version)
echo "// touched" >>"generated/axpy/$version/kernel.cu"
refuses edited.log ctest --test-dir build --output-on-failure -R provenance
expect "was edited after" edited.log

if command -v nvcc >/dev/null; then
  sed -i '$ d' "generated/axpy/$version/kernel.cu"
  succeeds app.log cmake --build build --target app
fi
