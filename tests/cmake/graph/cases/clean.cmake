# `clean` deletes build outputs only; the rebuild asks nothing and loses no version.
copy_project(graph/project)
configure(-DKERNELLOOP_VERSIONS=2)
build(optimize_all)
expect_steps_any()
file(GLOB_RECURSE before "${source_dir}/*")
execute_process(
  COMMAND "${CMAKE_COMMAND}" --build "${build_dir}" --target clean
  OUTPUT_QUIET
)
file(GLOB_RECURSE after "${source_dir}/*")
expect_equal("${after}" "${before}")
if(EXISTS "${op_dir}/v001/bench.json" OR EXISTS "${op_dir}/contract.json")
  fail("clean left outputs behind")
endif()
build(optimize_all)
all_steps(steps softmax 1 2 kept)
expect_steps("spec softmax" "reference softmax" ${steps})
expect_no_work(optimize_all)

# So does a build directory made anew.
file(REMOVE_RECURSE "${build_dir}")
configure(-DKERNELLOOP_VERSIONS=2)
build(optimize_all)
expect_steps("spec softmax" "reference softmax" ${steps})
