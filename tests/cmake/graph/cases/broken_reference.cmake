# A reference that does not compile, or does not work, stops the loop before anything is asked.
copy_project(graph/project)
edit("${source_dir}/reference.cpp" "return 1" "return one")
configure(-DKERNELLOOP_VERSIONS=2 -DKERNELLOOP_CANDIDATES=2)
build_fails(-k 0 optimize_all)
expect_text("${build_output}" "was not declared in this scope")
expect_steps()
edit("${source_dir}/reference.cpp" "return one" "return 1")
file(TOUCH "${state_dir}/fail_reference_softmax")
build_fails(-k 0 optimize_all)
expect_text("${build_output}" "error: softmax: reference was told to fail")
expect_steps("spec softmax" "reference softmax")
file(REMOVE "${state_dir}/fail_reference_softmax")
build(optimize_all)
expect_text("${build_output}" "softmax v001: propose")
file(REMOVE "${state_dir}/log")

# It is the same with one that worked before: versions wait, and are not asked for again.
edit("${source_dir}/reference.cpp" "return 1" "return 2")
file(TOUCH "${state_dir}/fail_reference_softmax")
build_fails(optimize_all)
expect_no_text("${build_output}" "propose softmax")
file(REMOVE "${state_dir}/log" "${state_dir}/fail_reference_softmax")
build(optimize_all)
expect_steps(
  "reference softmax"
  "verify softmax v001"
  "bench softmax v001"
  "verify softmax v002"
  "bench softmax v002"
  "learn softmax 1"
)
expect_no_work(optimize_all)
