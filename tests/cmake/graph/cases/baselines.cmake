# Baselines are built and timed once, before the first round is folded; one that changes is timed again,
# and asks for no version.
copy_project(graph/project)
foreach(name IN ITEMS old ours)
  file(WRITE "${source_dir}/${name}.cpp" "int ${name}() { return 1; }\n")
endforeach()
file(
  WRITE "${source_dir}/options.cmake"
  "add_library(ours MODULE ours.cpp)\nset(KERNELLOOP_BASELINES old.cpp ours)\n"
)
configure(-DKERNELLOOP_VERSIONS=2)
build(optimize_all)
all_steps(steps softmax 1 2 asked)
expect_steps("spec softmax" "reference softmax" "baselines softmax libours.so" ${steps})
if(NOT EXISTS "${op_dir}/baselines/old.so")
  fail("${op_dir}/baselines/old.so was not built")
endif()
expect_no_work(optimize_all)
edit("${source_dir}/ours.cpp" "return 1" "return 2")
build(optimize_all)
expect_steps("baselines softmax libours.so" "learn softmax 1" "learn softmax 2")
expect_no_work(optimize_all)
