# Programs built by the project are built before the steps run; relinking them re-runs no step.
copy_project(graph/project)
file(
  WRITE "${source_dir}/tool.cpp"
  "#include <unistd.h>\n"
  "int main(int, char** argv) { execv(PROGRAM, argv); return 127; }\n"
)
edit(
  "${source_dir}/CMakeLists.txt"
  "include(CTest)"
  "foreach(program IN ITEMS kernelloop kernelloop-device)
  add_executable(\${program} EXCLUDE_FROM_ALL tool.cpp)
  set_target_properties(\${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY bin)
  target_compile_definitions(\${program} PRIVATE PROGRAM=\"\${FAKE_DIR}/\${program}\")
  add_executable(KernelLoop::\${program} ALIAS \${program})
endforeach()"
)
configure(
  -DKERNELLOOP_VERSIONS=2
  -DKERNELLOOP_TOOL=
  -DKERNELLOOP_DEVICE_TOOL=
  "-DFAKE_DIR=${fake_dir}"
)
build(optimize_all)
all_steps(steps softmax 1 2 asked)
expect_steps("spec softmax" "reference softmax" ${steps})
expect_no_work(optimize_all)

file(APPEND "${source_dir}/tool.cpp" "int relinked = 1;\n")
build(optimize_all)
expect_text("${build_output}" "Linking CXX executable bin/kernelloop-device")
expect_steps()
expect_no_work(optimize_all)
file(APPEND "${source_dir}/tool.cpp" "int relinked_again = 1;\n")
build(verify_all bench_all)
expect_text("${build_output}" "Linking CXX executable bin/kernelloop-device")
expect_steps()
