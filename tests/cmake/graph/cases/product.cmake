# kernelloop::softmax: no adopted version is one clear line at build time; an adopted one links,
# and a change of adoption is picked up.
copy_project(graph/project)
file(
  WRITE "${source_dir}/app.cpp"
  "#include <softmax.h>\n#include <cstdio>\nint main() { std::puts(softmax_version()); }\n"
)
file(
  WRITE "${source_dir}/extra.cmake"
  "add_executable(app app.cpp)\ntarget_link_libraries(app PRIVATE kernelloop::softmax)\n"
)
# A toolkit that is nothing but a runtime library of no content.
set(toolkit "${case_dir}/modules")
file(
  WRITE "${toolkit}/FindCUDAToolkit.cmake"
  "add_library(CUDA::cudart INTERFACE IMPORTED)\n"
  "set(CUDAToolkit_FOUND TRUE)\n"
  "set(CUDAToolkit_NVCC_EXECUTABLE /toolkit/bin/nvcc)\n"
)
set(with_toolkit -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=OFF "-DCMAKE_MODULE_PATH=${toolkit}")
configure(-DKERNELLOOP_VERSIONS=2 ${with_toolkit})
file(READ "${op_dir}/config.json" config)
string(JSON value GET "${config}" nvcc)
expect_equal("${value}" "/toolkit/bin/nvcc")
build_fails(app)
expect_text(
  "${build_output}"
  "error: softmax: no adopted version; build optimize_softmax and adopt"
)
build(optimize_all)
build(adopt_softmax)
expect_steps_any()
build(all)
expect_steps("library softmax")
execute_process(COMMAND "${build_dir}/app" OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
expect_equal("${said}" "v002\n")
expect_no_work(all)
file(WRITE "${source_dir}/generated/softmax/adopted.json" "v001\n")
build(all)
expect_steps("library softmax")
execute_process(COMMAND "${build_dir}/app" OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
expect_equal("${said}" "v001\n")
expect_no_work(all)

# A set KERNELLOOP_NVCC wins; without toolkit or nvcc only the library is in trouble.
configure(${with_toolkit} -DKERNELLOOP_NVCC=/other/nvcc)
file(READ "${op_dir}/config.json" config)
string(JSON value GET "${config}" nvcc)
expect_equal("${value}" "/other/nvcc")
configure(-DKERNELLOOP_NVCC=)
build_fails(app)
expect_text(
  "${build_output}"
  "kernelloop::softmax cannot be built: no CUDA Toolkit was found; install one or set CUDAToolkit_ROOT and configure again."
)
build(optimize_all)
file(
  WRITE "${toolkit}/FindCUDAToolkit.cmake"
  "add_library(CUDA::cudart INTERFACE IMPORTED)\nset(CUDAToolkit_FOUND TRUE)\n"
)
configure(${with_toolkit})
build_fails(app)
expect_text(
  "${build_output}"
  "kernelloop::softmax cannot be built: no nvcc was found; install it or set KERNELLOOP_NVCC and configure again."
)
file(WRITE "${toolkit}/FindCUDAToolkit.cmake" "set(CUDAToolkit_FOUND TRUE)\n")
configure(${with_toolkit})
build_fails(app)
expect_text(
  "${build_output}"
  "kernelloop::softmax cannot be built: the CUDA Toolkit has no cudart library; install it and configure again."
)
