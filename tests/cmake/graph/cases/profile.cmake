# On a GPU every version is profiled before the round is learnt from; on the CPU device none is.
copy_project(graph/project)
configure(-DKERNELLOOP_VERSIONS=1 -DKERNELLOOP_DEVICE=cuda)
build(optimize_all)
expect_steps(
  "spec softmax"
  "reference softmax"
  "propose softmax v001 asked"
  "compile softmax v001 90a"
  "verify softmax v001"
  "bench softmax v001"
  "profile softmax v001"
  "learn softmax 1"
)
expect_no_work_after_log(optimize_all)
file(REMOVE "${op_dir}/v001/profile.json")
build(profile_softmax)
expect_steps("profile softmax v001")
configure(-DKERNELLOOP_VERSIONS=1)
build(optimize_all)
expect_steps_any()
expect_no_text("${build_output}" "v001: profile")
