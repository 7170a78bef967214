# A raised rule number verifies (times) every version again, and asks nothing.
copy_project(graph/project)
file(COPY "${KERNELLOOP_SOURCE_DIR}/cmake" DESTINATION "${case_dir}/copy")
file(MAKE_DIRECTORY "${case_dir}/copy/include")
configure(-DKERNELLOOP_VERSIONS=1 "-DKERNELLOOP_CMAKE_DIR=${case_dir}/copy/cmake")
build(optimize_all)
expect_steps_any()
set(rules "${case_dir}/copy/cmake/kernelloop/rules.cmake")
include("${rules}")
function(raise kind)
  math(EXPR next "${KERNELLOOP_${kind}_RULES} + 1")
  edit(
    "${rules}"
    "KERNELLOOP_${kind}_RULES ${KERNELLOOP_${kind}_RULES}"
    "KERNELLOOP_${kind}_RULES ${next}"
  )
endfunction()
raise(MEASUREMENT)
configure("-DKERNELLOOP_CMAKE_DIR=${case_dir}/copy/cmake")
build(optimize_all)
expect_steps("bench softmax v001" "learn softmax 1")
raise(VERIFICATION)
# No configure of ours: the build itself notices the changed file.
build(optimize_all)
expect_steps("verify softmax v001" "bench softmax v001" "learn softmax 1")
expect_no_work(optimize_all)
