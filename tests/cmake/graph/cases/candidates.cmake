# A round of two candidates runs two lanes from one history, and one learn step folds both.
copy_project(graph/project)
configure(-DKERNELLOOP_VERSIONS=4 -DKERNELLOOP_CANDIDATES=2)
# The second proposal of a round does not wait for the first: it is asked while that one hangs.
file(TOUCH "${state_dir}/fail_compile_v001")
build_fails(-k 0 optimize_all)
expect_text("${build_output}" "softmax v002: bench")
expect_no_text("${build_output}" "] softmax v003: propose")
file(REMOVE "${state_dir}/fail_compile_v001")
expect_steps_any()
build(optimize_all)
expect_steps(
  "compile softmax v001 90a"
  "verify softmax v001"
  "bench softmax v001"
  "learn softmax 1"
  "propose softmax v003 asked"
  "compile softmax v003 90a"
  "verify softmax v003"
  "bench softmax v003"
  "propose softmax v004 asked"
  "compile softmax v004 90a"
  "verify softmax v004"
  "bench softmax v004"
  "learn softmax 2"
)
expect_no_work(optimize_all)
file(APPEND "${source_dir}/generated/softmax/v002/kernel.cu" "// edited\n")
build(optimize_all)
expect_steps(
  "compile softmax v002 90a"
  "verify softmax v002"
  "bench softmax v002"
  "learn softmax 1"
  "propose softmax v003 kept"
  "propose softmax v004 kept"
  "learn softmax 2"
)

# A last round may be a short one; it grows when VERSIONS does, and re-runs nothing before it.
expect_no_work(optimize_all)
configure(-DKERNELLOOP_VERSIONS=5)
build(optimize_all)
expect_steps(
  "propose softmax v005 asked"
  "compile softmax v005 90a"
  "verify softmax v005"
  "bench softmax v005"
  "learn softmax 3"
)
configure(-DKERNELLOOP_VERSIONS=6)
build(optimize_all)
expect_steps(
  "propose softmax v006 asked"
  "compile softmax v006 90a"
  "verify softmax v006"
  "bench softmax v006"
  "learn softmax 3"
)
expect_no_work(optimize_all)
