# The report follows what the steps leave, and has no step run: no model is asked, nothing measured.
copy_project(graph/project)
configure(-DKERNELLOOP_VERSIONS=2)
build(report_softmax)
expect_steps("report softmax")
expect_no_work(report_softmax report_all)

# What a build measures is reported by the next.
build(optimize_softmax)
expect_steps_any()
build(report_all)
expect_steps("report softmax")
expect_no_work(report_softmax report_all)

# A bench that ran again is reported; what made it run again is not the report's to bring about.
edit("${source_dir}/op.json" "\"bytes\": \"rows\"" "\"bytes\": \"2*rows\"")
expect_no_work(report_softmax)
build(bench_softmax)
expect_steps(
  "spec softmax"
  "bench softmax v001"
  "learn softmax 1"
  "propose softmax v002 kept"
  "bench softmax v002"
)
build(report_softmax)
expect_steps("report softmax")
expect_no_work(report_softmax)

# Steering and adoption stand beside the versions.
build(adopt_softmax)
build(report_softmax)
expect_steps("adopt softmax" "report softmax")
expect_no_work(report_softmax)

# A build directory that is gone is no error: the report shows less.
file(REMOVE_RECURSE "${op_dir}/v002")
build(report_softmax)
expect_steps("report softmax")
expect_no_work(report_softmax)

# Nor does clean touch more than the stamp.
execute_process(COMMAND ninja -C "${build_dir}" clean OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
build(report_softmax)
expect_steps("report softmax")

build_fails(report_sofmax)
expect_text("${build_output}" "unknown target 'report_sofmax'")
