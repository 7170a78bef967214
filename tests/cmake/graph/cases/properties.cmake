# Options are target properties: changed after add_kernel_op, by a generator expression too, they
# reach the command lines and config.json.
copy_project(graph/project)
file(
  WRITE "${source_dir}/extra.cmake"
  "set_target_properties(softmax PROPERTIES
    KERNELLOOP_PROVIDER manual
    KERNELLOOP_SOL_TARGET .75
    KERNELLOOP_ARCHITECTURES \"80;90a\"
    KERNELLOOP_MODEL \"a \\\\ \\\"b\\\"\"
    KERNELLOOP_COMPILE_OPTIONS \"$<$<CONFIG:Debug>:-lineinfo>\"
  )\n"
)
configure(-DKERNELLOOP_VERSIONS=1 -DKERNELLOOP_PROVIDER=replay -DCMAKE_BUILD_TYPE=Debug)
build(optimize_all)
expect_steps(
  "spec softmax"
  "reference softmax"
  "propose softmax v001 asked"
  "compile softmax v001 80 90a --options=-lineinfo"
  "verify softmax v001"
  "bench softmax v001"
  "learn softmax 1"
)
file(READ "${op_dir}/config.json" config)
string(JSON value GET "${config}" provider)
expect_equal("${value}" "manual")
string(JSON value GET "${config}" sol_target)
expect_equal("${value}" "0.75")
string(JSON value GET "${config}" model)
expect_equal("${value}" "a \\ \"b\"")
string(JSON value GET "${config}" compile_options 0)
expect_equal("${value}" "-lineinfo")
string(JSON value GET "${config}" architectures 1)
expect_equal("${value}" "90a")
configure(-DCMAKE_BUILD_TYPE=Release)
build(optimize_all)
file(STRINGS "${state_dir}/log" log)
list(FILTER log INCLUDE REGEX "asked")
expect_equal("${log}" "")
