# A version edited by hand: its compile, verify and bench, and what folds them; no proposal.
copy_project(graph/project)
configure(-DKERNELLOOP_VERSIONS=3)
build(optimize_all)
expect_steps_any()
file(APPEND "${source_dir}/generated/softmax/v002/kernel.cu" "// edited\n")
build(optimize_all)
expect_steps(
  "compile softmax v002 90a"
  "verify softmax v002"
  "bench softmax v002"
  "learn softmax 2"
  "propose softmax v003 kept"
  "learn softmax 3"
)
expect_no_work(optimize_all)
