# verify_<op> and bench_<op> bring the versions that exist up to date, whenever these appeared, and
# never ask for one that is missing.
copy_project(graph/project)
configure(-DKERNELLOOP_VERSIONS=3)
build(verify_all bench_all)
expect_steps()
expect_text("${build_output}" "softmax: no version to verify yet")
file(TOUCH "${state_dir}/wait_v003")
build_fails(optimize_all)
expect_steps_any()
build(verify_all bench_all)
expect_steps()
edit("${source_dir}/op.json" "\"tolerance\": 0.01" "\"tolerance\": 0.02")
build(verify_softmax)
expect_steps(
  "spec softmax"
  "reference softmax"
  "verify softmax v001"
  "bench softmax v001"
  "learn softmax 1"
  "propose softmax v002 kept"
  "verify softmax v002"
)
build(bench_softmax)
expect_steps("bench softmax v002")
file(TOUCH "${state_dir}/fail_verify_v001")
edit("${source_dir}/op.json" "\"tolerance\": 0.02" "\"tolerance\": 0.03")
build_fails(verify_softmax)
expect_text("${build_output}" "verify stopped; the lines above say why")
