# The launcher stands in front of every device command, and only there.
copy_project(graph/project)
file(
  WRITE "${case_dir}/launch.sh"
  "#!/bin/sh\npwd >\"${state_dir}/place\"\necho \"launch $1 $(basename \"$2\") $3\" >>\"${state_dir}/launched\"\nshift\nexec \"$@\"\n"
)
file(CHMOD "${case_dir}/launch.sh" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
file(
  WRITE "${source_dir}/options.cmake"
  "set(KERNELLOOP_DEVICE_LAUNCHER \"${case_dir}/launch.sh\" --gres=gpu:1)\n"
)
configure(-DKERNELLOOP_VERSIONS=1 -DKERNELLOOP_DEVICE=auto)
expect_text("${configure_output}" "device cuda, because KERNELLOOP_DEVICE_LAUNCHER is set")
build(optimize_all)
all_steps(steps softmax 1 1 asked)
expect_steps("spec softmax" "reference softmax" "profile softmax v001" ${steps})
# Where a relative word of the launcher starts.
file(STRINGS "${state_dir}/place" place)
expect_equal("${place}" "${build_dir}")
file(STRINGS "${state_dir}/launched" launched)
expect_equal(
  "${launched}"
  "launch --gres=gpu:1 kernelloop-device reference;launch --gres=gpu:1 kernelloop-device verify;launch --gres=gpu:1 kernelloop-device bench;launch --gres=gpu:1 kernelloop-device profile"
)
file(READ "${op_dir}/config.json" config)
string(JSON value GET "${config}" device_launcher)
string(JSON word GET "${value}" 1)
expect_equal("${word}" "--gres=gpu:1")
expect_no_work(optimize_all)
