# Two operators share nothing but the pools: one that fails does not stop the other under -k 0.
copy_project(graph/project)
file(
  WRITE "${source_dir}/extra.cmake"
  "add_subdirectory(more)\n"
  "add_kernel_op(excluded SPEC op.json REFERENCE reference.cpp EXCLUDE_FROM_OPTIMIZE_ALL)\n"
)
file(
  WRITE "${source_dir}/more/CMakeLists.txt"
  "add_kernel_op(rmsnorm SPEC op.json REFERENCE ../reference.cpp VERSIONS 1)\n"
)
file(COPY "${source_dir}/op.json" DESTINATION "${source_dir}/more")
configure(-DKERNELLOOP_VERSIONS=2)
# Nor a directory of the graph, in which CMake would look through the steps of all.
foreach(op IN ITEMS softmax rmsnorm excluded)
  file(STRINGS "${build_dir}/build.ninja" lines REGEX "^build optimize_${op}: ")
  expect_equal("${lines}" "build optimize_${op}: phony kernelloop/${op}/steps/optimize_${op}")
endforeach()
file(TOUCH "${state_dir}/fail_propose_v002")
build_fails(-k 0 optimize_all)
all_steps(softmax softmax 1 1 asked)
all_steps(rmsnorm rmsnorm 1 1 asked)
expect_steps(
  "spec softmax"
  "reference softmax"
  ${softmax}
  "spec rmsnorm"
  "reference rmsnorm"
  ${rmsnorm}
)
file(REMOVE "${state_dir}/fail_propose_v002")
build(optimize_all)
all_steps(softmax softmax 2 2 asked)
expect_steps(${softmax})
expect_no_work(optimize_all optimize_rmsnorm)
build(optimize_excluded)
all_steps(excluded excluded 1 2 asked)
expect_steps("spec excluded" "reference excluded" ${excluded})
build(report_all)
expect_steps("report softmax" "report rmsnorm" "report excluded")
build(adopt_rmsnorm)
expect_steps("adopt rmsnorm")

# verify_all covers every operator in one run of Ninja.
edit("${source_dir}/more/op.json" "\"tolerance\": 0.01" "\"tolerance\": 0.02")
build(verify_all)
expect_steps("spec rmsnorm" "reference rmsnorm" "verify rmsnorm v001")
