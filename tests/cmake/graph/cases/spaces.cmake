# Spaces and other odd characters in every path.
set(source_dir "${case_dir}/the source (1)")
set(build_dir "${case_dir}/the buïld, 100% more {=@:~}")
set(op_dir "${build_dir}/kernelloop/softmax")
copy_project(graph/project)
file(COPY "${KERNELLOOP_SOURCE_DIR}/cmake" DESTINATION "${case_dir}/kernel loop")
file(MAKE_DIRECTORY "${case_dir}/kernel loop/include")
configure(-DKERNELLOOP_VERSIONS=2 "-DKERNELLOOP_CMAKE_DIR=${case_dir}/kernel loop/cmake")
build(optimize_all)
all_steps(steps softmax 1 2 asked)
expect_steps("spec softmax" "reference softmax" ${steps})
expect_no_work(optimize_all)
file(APPEND "${source_dir}/generated/softmax/v002/kernel.cu" "// edited\n")
build(optimize_all)
expect_steps(
  "compile softmax v002 90a"
  "verify softmax v002"
  "bench softmax v002"
  "learn softmax 2"
)
build(verify_softmax bench_softmax)
expect_steps()
