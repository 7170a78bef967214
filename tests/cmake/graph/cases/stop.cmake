# Once history says stop, the rest copies through; `kernelloop resume` has the loop look again.
copy_project(graph/project)
file(TOUCH "${state_dir}/stop_v002")
configure(-DKERNELLOOP_VERSIONS=3)
build(optimize_all)
all_steps(asked softmax 1 2 asked)
expect_steps(
  "spec softmax"
  "reference softmax"
  ${asked}
  "propose softmax v003 kept"
  "compile softmax v003 90a"
  "verify softmax v003"
  "bench softmax v003"
  "learn softmax 3"
)
if(EXISTS "${source_dir}/generated/softmax/v003")
  fail("v003 was written although the loop had stopped")
endif()
expect_no_work(optimize_all)

execute_process(
  COMMAND "${fake_dir}/kernelloop" resume --config "${op_dir}/config.json"
  COMMAND_ERROR_IS_FATAL ANY
)
build(optimize_all)
expect_steps("propose softmax v001 kept" "propose softmax v002 kept" "propose softmax v003 kept")
expect_no_work(optimize_all)
