# trace_<op> builds the traced build of what exists and traces it; the loop itself does neither.
copy_project(graph/project)
configure(-DKERNELLOOP_VERSIONS=2 -DKERNELLOOP_DEVICE=cuda)
file(TOUCH "${state_dir}/wait_v002")
build_fails(optimize_all)
expect_steps_any()
build(trace_softmax)
expect_steps("compile softmax v001 traced 90a" "trace softmax v001")
expect_no_work_after_log(kernelloop/softmax/v001/trace.json)
edit("${source_dir}/generated/softmax/v001/kernel.cu" "v001" "v001 edited")
build(kernelloop/softmax/v001/trace.json)
expect_steps(
  "compile softmax v001 90a"
  "compile softmax v001 traced 90a"
  "verify softmax v001"
  "trace softmax v001"
)
