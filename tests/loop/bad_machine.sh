#!/usr/bin/env bash
# A broken reference, a tree that cannot be written, a full disk, no nvcc, two builds at once: each
# ends with one clear line, nothing is lost, nothing is asked twice, and once mended the build goes on.
source "$(dirname "$0")/harness.sh"

# A provider that counts how often it is asked.
cat >"$work_dir/answer.sh" <<EOF
#!/bin/sh
echo asked >>"\$1/asked"
cat >/dev/null
echo '\`\`\`cuda'
cat "$source_dir/docs/tutorial/first.cu"
echo '\`\`\`'
EOF
chmod a+rx "$work_dir/answer.sh"

# project <name> <device>: a project that asks the provider above; its folder becomes the current one.
project() {
  local dir=$work_dir/$1
  mkdir -p "$dir/log"
  cp -r "$source_dir/docs/tutorial/ops" "$source_dir/docs/tutorial/references" "$dir"
  cat >"$dir/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(bad LANGUAGES CXX)
set(KERNELLOOP_TOOL "$build_dir/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "$build_dir/bin/kernelloop-device")
add_subdirectory("$source_dir" kernelloop-build)
add_kernel_op(axpy SPEC ops/axpy/op.json REFERENCE references/axpy.cpp VERSIONS 1
  PROVIDER command DEVICE $2)
EOF
  cd "$dir"
  export KERNELLOOP_COMMAND="[\"$work_dir/answer.sh\", \"$dir/log\"]"
  succeeds configure.log cmake -G Ninja -B build
}
asked() {
  local times=0
  [[ ! -f log/asked ]] || times=$(wc -l <log/asked)
  [[ $times == "$1" ]] || fail "$PWD: asked $times times, not $1"
}
optimise=(cmake --build build --target optimize_axpy)

# A reference that does not compile, one that crashes, one that returns NaN: nobody is asked. With
# versions that are there already, these wait.
project reference cpu
broken() {
  sed "s/z\[i\] = [^;]*;/$1/" "$source_dir/docs/tutorial/references/axpy.cpp" >references/axpy.cpp
}
broken 'z[i] = beta;'
refuses uncompiled.log "${optimise[@]}"
expect "was not declared in this scope" uncompiled.log
broken 'z.data()[i + (std::int64_t{1} << 40)] = 0;'
refuses crash.log "${optimise[@]}"
expect "the reference of op 'axpy'" crash.log
expect "it crashed with signal 11 (Segmentation fault)" crash.log
broken 'z[i] = 0.0 \/ (alpha * 0);'
refuses nan.log "${optimise[@]}"
expect "it makes NaN of finite inputs in element" nan.log
asked 0
cp "$source_dir/docs/tutorial/references/axpy.cpp" references/
succeeds mended.log "${optimise[@]}"
[[ $(json build/kernelloop/axpy/v001/verify.json status) == passed ]] || fail "v001 should pass"
asked 1
broken 'z[i] = 0.0 \/ (alpha * 0);'
refuses nan_later.log "${optimise[@]}"
expect "it makes NaN of finite inputs in element" nan_later.log
cp "$source_dir/docs/tutorial/references/axpy.cpp" references/
succeeds mended_later.log "${optimise[@]}"
asked 1

# No nvcc where the CUDA device wants one: told before anybody is asked.
project no_nvcc cuda
sed -i -E 's|("nvcc": *)"[^"]*"|\1""|' build/kernelloop/axpy/config.json
refuses no_nvcc.log "${optimise[@]}"
expect "there is no nvcc to compile a proposal with; nothing was asked" no_nvcc.log
asked 0

# A host compiler that has no runtime of AddressSanitizer, and options that nvcc does not know.
project compilers cpu
cat >compiler.sh <<'EOF'
#!/bin/sh
case "$*" in *-print-file-name=*) echo "${1#*=}"; exit 0 ;; esac
exec c++ "$@"
EOF
chmod +x compiler.sh
config=build/kernelloop/axpy/config.json
cp $config config.json
sed -i -E "s|(\"host_compiler\": *)\"[^\"]*\"|\1\"$PWD/compiler.sh\"|" $config
refuses runtime.log "${optimise[@]}"
expect "axpy: nothing was asked: the host compiler $PWD/compiler.sh has no libasan.so" runtime.log
cp config.json $config
if command -v nvcc >/dev/null; then
  sed -i -E 's|("compile_options": *)\[\]|\1["--frob"]|' $config
  refuses options.log "${optimise[@]}"
  expect "axpy: nothing was asked: nvcc refuses its options" options.log
  expect "correct COMPILE_OPTIONS or ARCHITECTURES of add_kernel_op" options.log
fi
asked 0

# Two builds of one folder at once: every question is asked once, both end well.
project two_builds cpu
# The steps take turns; a compiler does not, so the reference is there before.
succeeds reference.log cmake --build build --target axpy_reference
"${optimise[@]}" >first.log 2>&1 &
first=$!
second_code=0
"${optimise[@]}" >second.log 2>&1 || second_code=$?
first_code=0
wait $first || first_code=$?
[[ $first_code == 0 && $second_code == 0 ]] || {
  cat first.log second.log >&2
  fail "two builds at once ended with $first_code and $second_code"
}
asked 1
# Two Ninjas may garble each other's log, which costs steps done twice and no more.
succeeds third.log "${optimise[@]}"
[[ $(json build/kernelloop/axpy/v001/bench.json status) == measured ]] || fail "no times"
asked 1
no_work build optimize_axpy

# A source tree that cannot be written. Root can write anywhere, so it becomes nobody.
project read_only cpu
run=(env)
if [[ $(id -u) == 0 ]]; then
  chown -R 65534:65534 build log
  run=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
chmod a-w .
if "${run[@]}" test -x "$PWD" -a -x "$build_dir/bin/kernelloop"; then
  refuses read_only.log "${run[@]}" "${optimise[@]}"
  expect "cannot create $PWD/generated/axpy" read_only.log
  expect "nothing was asked; make it writable or point KERNELLOOP_GENERATED_DIR elsewhere" read_only.log
  asked 0
else
  echo "nobody may enter $PWD: the tree that cannot be written is left out"
fi
chmod u+w .
succeeds writable.log "${optimise[@]}"
asked 1

# A disk that is really full: a file system of its own with no room for an answer.
project full_disk cpu
mkdir generated
if unshare --user --map-root-user --mount true 2>/dev/null; then
  refuses full_disk.log unshare --user --map-root-user --mount bash -c '
    mount -t tmpfs -o size=64k tmpfs generated && exec "$@"' bash "${optimise[@]}"
  expect "MiB are needed to keep an answer; nothing was asked; free some space and build again" \
    full_disk.log
  asked 0
else
  echo "no mount namespaces here: the full disk is left out"
fi
succeeds room.log "${optimise[@]}"
asked 1
