# The real programs, installed from this build: a consumer finds them, the spec step runs, and the
# manual provider stops the build and says where to write the first version. PROJECT_BUILD_DIR names
# the build, which `all` has brought up to date before the tests run.
set(prefix "${case_dir}/prefix")
execute_process(
  COMMAND "${CMAKE_COMMAND}" --install "${PROJECT_BUILD_DIR}" --prefix "${prefix}"
  OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY
)
foreach(program IN ITEMS kernelloop kernelloop-device)
  execute_process(
    COMMAND "${prefix}/bin/${program}" --help
    OUTPUT_VARIABLE help
    COMMAND_ERROR_IS_FATAL ANY
  )
  expect_text("${help}" "${program}")
endforeach()

file(COPY "${KERNELLOOP_SOURCE_DIR}/ops/softmax/op.json" DESTINATION "${source_dir}")
file(COPY "${KERNELLOOP_SOURCE_DIR}/references/softmax.cpp" DESTINATION "${source_dir}")
file(
  WRITE "${source_dir}/CMakeLists.txt"
  "cmake_minimum_required(VERSION 3.25)
project(installed LANGUAGES CXX)
find_package(KernelLoop REQUIRED)
add_kernel_op(softmax SPEC op.json REFERENCE softmax.cpp VERSIONS 1 PROVIDER manual)\n"
)
configure(
  -DKERNELLOOP_TOOL=
  -DKERNELLOOP_DEVICE_TOOL=
  "-DCMAKE_PREFIX_PATH=${prefix}"
  --no-warn-unused-cli
)
build_fails(optimize_all)
expect_text("${build_output}" "kernel.cu")
foreach(file IN ITEMS contract.json checks.json timing.json reference.so)
  if(NOT EXISTS "${op_dir}/${file}")
    fail("there is no ${op_dir}/${file}\n${build_output}")
  endif()
endforeach()
if(EXISTS "${op_dir}/v001/proposed.json")
  fail("the build went on without a version")
endif()
