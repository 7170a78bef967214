# Devices of other classes have launchers of their own, by architecture, and a target that judges there.
copy_project(graph/project)
file(
  WRITE "${source_dir}/options.cmake"
  "set(KERNELLOOP_ARCHITECTURES 80 90a)\nset(KERNELLOOP_DEVICE_LAUNCHER_80 kernelloop-ssh ampere)\n"
)
configure(-DKERNELLOOP_VERSIONS=1)
file(READ "${op_dir}/config.json" config)
string(JSON words GET "${config}" fleet 80)
string(JSON count LENGTH "${words}")
expect_equal("${count}" 2)
string(JSON word GET "${words}" 1)
expect_equal("${word}" ampere)
string(JSON classes LENGTH "${config}" fleet)
expect_equal("${classes}" 1)
execute_process(
  COMMAND ninja -C "${build_dir}" -t commands fleet_all
  OUTPUT_VARIABLE commands
  COMMAND_ERROR_IS_FATAL ANY
)
expect_text("${commands}" "fleet --config ${op_dir}/config.json")

# The loop's own device stays as it was: without launchers there is nothing of it.
file(WRITE "${source_dir}/options.cmake" "set(KERNELLOOP_ARCHITECTURES 80 90a)\n")
configure()
file(READ "${op_dir}/config.json" config)
string(JSON classes LENGTH "${config}" fleet)
expect_equal("${classes}" 0)
