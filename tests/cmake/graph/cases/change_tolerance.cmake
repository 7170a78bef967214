# A changed tolerance verifies every version and what follows; it compiles and asks nothing.
copy_project(graph/project)
configure(-DKERNELLOOP_VERSIONS=2)
build(optimize_all)
expect_steps_any()
edit("${source_dir}/op.json" "\"tolerance\": 0.01" "\"tolerance\": 0.02")
build(optimize_all)
expect_steps(
  "spec softmax"
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

# What only the timing reads is timed again.
edit("${source_dir}/op.json" "\"bytes\": \"rows\"" "\"bytes\": \"2*rows\"")
build(optimize_all)
expect_steps(
  "spec softmax"
  "bench softmax v001"
  "learn softmax 1"
  "propose softmax v002 kept"
  "bench softmax v002"
  "learn softmax 2"
)

# White space changes the spec and nothing that follows from it.
file(APPEND "${source_dir}/op.json" "")
file(TOUCH "${source_dir}/op.json")
build(optimize_all)
expect_steps("spec softmax")
expect_no_work(optimize_all)
