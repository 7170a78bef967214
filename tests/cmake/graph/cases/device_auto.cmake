# DEVICE auto says once, for all operators, what it chose and why.
copy_project(graph/project)
file(
  WRITE "${source_dir}/extra.cmake"
  "add_kernel_op(second SPEC op.json REFERENCE reference.cpp DEVICE auto)\n"
  "get_target_property(device second KERNELLOOP_DEVICE)\n"
  "message(STATUS \"resolved: \${device}\")\n"
)
configure(-DKERNELLOOP_VERSIONS=1 -DKERNELLOOP_DEVICE=auto)
string(REGEX MATCHALL "KernelLoop: device [a-z]+, because [^\n]+" said "${configure_output}")
list(LENGTH said count)
expect_equal("${count}" 1)
string(REGEX MATCH "device ([a-z]+)" matched "${said}")
expect_text("${configure_output}" "resolved: ${CMAKE_MATCH_1}")
