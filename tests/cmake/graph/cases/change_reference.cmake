# A changed reference is tried, and verifies and times every version; it compiles and asks nothing.
copy_project(graph/project)
configure(-DKERNELLOOP_VERSIONS=2)
build(optimize_all)
expect_steps_any()
edit("${source_dir}/reference.cpp" "return 1" "return 2")
build(optimize_all)
expect_steps(
  "reference softmax"
  "verify softmax v001"
  "bench softmax v001"
  "learn softmax 1"
  "propose softmax v002 kept"
  "verify softmax v002"
  "bench softmax v002"
  "learn softmax 2"
)
expect_no_work(optimize_all)
