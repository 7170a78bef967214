# _kernelloop_add_op_steps(<op> <working_directory>)
#
# The loop, unrolled: one custom command per step, run in <working_directory>, and the target
# optimize_<op>, which wants the last of them; and report_<op>. What stands on a command line or under DEPENDS re-runs
# the step; what must not (hints, model, limits) goes through config.json, on which nothing depends.
# Versions under generated/ are never outputs, so that `clean` cannot delete them.
#
# Called from steps/CMakeLists.txt, so that the files of each operator are in a directory of their
# own: CMake looks for the source file of an output among all of its directory with the same name, so
# that the time to add the verify.json of n operators to one directory would grow with n squared.
function(_kernelloop_add_op_steps op working_directory)
  include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/rules.cmake")
  foreach(
    name
    IN
    ITEMS BUILD_DIR VERSIONS CANDIDATES DEVICE SPEC
  )
    get_target_property(${name} ${op} KERNELLOOP_${name})
  endforeach()
  get_target_property(tool ${op} _KERNELLOOP_TOOL)
  get_target_property(device_tool ${op} _KERNELLOOP_DEVICE_TOOL)
  set(config "${BUILD_DIR}/config.json")
  set(contract "${BUILD_DIR}/contract.json")
  set(checks "${BUILD_DIR}/checks.json")
  set(timing "${BUILD_DIR}/timing.json")

  # `kernelloop resume` touches it to have the loop look again after a stop.
  set(resume "${BUILD_DIR}/resume")
  if(NOT EXISTS "${resume}")
    file(WRITE "${resume}" "")
  endif()

  # Read when CMake generates, because properties may change after add_kernel_op. The first two may
  # hold generator expressions; the others are checked at the end of the project, as plain values.
  foreach(name IN ITEMS DEVICE_LAUNCHER COMPILE_OPTIONS)
    set(${name} "$<TARGET_GENEX_EVAL:${op},$<TARGET_PROPERTY:${op},KERNELLOOP_${name}>>")
  endforeach()
  foreach(name IN ITEMS ARCHITECTURES SOL_TARGET SANITIZER SHARE_GPU)
    set(${name} "$<TARGET_PROPERTY:${op},KERNELLOOP_${name}>")
  endforeach()
  set(reference "$<TARGET_FILE:${op}_reference>")

  add_custom_command(
    OUTPUT "${contract}" "${checks}" "${timing}"
    COMMAND "${tool}" spec --config "${config}"
    DEPENDS "${SPEC}"
    COMMENT "${op}: spec"
    WORKING_DIRECTORY "${working_directory}"
    VERBATIM
  )
  # What versions have to beat: timed once, and again when a baseline, the shapes or the rules change.
  get_target_property(baseline_targets ${op} _KERNELLOOP_BASELINE_TARGETS)
  set(baselines "")
  if(baseline_targets)
    set(baselines "${BUILD_DIR}/baselines.json")
    set(libraries "")
    foreach(target IN LISTS baseline_targets)
      list(APPEND libraries --library "$<TARGET_FILE:${target}>")
    endforeach()
    add_custom_command(
      OUTPUT "${baselines}"
      COMMAND
        "${DEVICE_LAUNCHER}" "${device_tool}" baselines --timing "${timing}" --reference
        "${reference}" --device ${DEVICE} --rules ${KERNELLOOP_MEASUREMENT_RULES} --cache-dir
        "${CMAKE_BINARY_DIR}/kernelloop/ceilings" ${libraries} --output "${baselines}"
      DEPENDS "${timing}" ${op}_reference ${baseline_targets}
      JOB_POOL kernelloop_gpu
      COMMENT "${op}: baselines"
      COMMAND_EXPAND_LISTS
      WORKING_DIRECTORY "${working_directory}"
      VERBATIM
    )
  endif()
  # Whether the reference works. The file says no more than that it does, so that a changed reference
  # asks for nothing.
  set(reference_works "${BUILD_DIR}/reference.json")
  add_custom_command(
    OUTPUT "${reference_works}"
    COMMAND
      "${DEVICE_LAUNCHER}" "${device_tool}" reference --checks "${checks}" --reference
      "${reference}" --device ${DEVICE} --output "${reference_works}"
    DEPENDS "${checks}" ${op}_reference
    JOB_POOL kernelloop_gpu
    COMMENT "${op}: reference"
    COMMAND_EXPAND_LISTS
    WORKING_DIRECTORY "${working_directory}"
    VERBATIM
  )
  # A broken spec or reference stops the loop before anything is asked.
  set(known "${contract}" "${reference_works}")
  set(previous_history "")
  set(round_facts "")
  set(looks "")
  foreach(version RANGE 1 ${VERSIONS})
    _kernelloop_version_name(name ${version})
    set(directory "${BUILD_DIR}/${name}")
    add_custom_command(
      OUTPUT "${directory}/proposed.json"
      COMMAND "${tool}" propose --config "${config}" --version ${version}
      DEPENDS ${known} "${resume}"
      JOB_POOL kernelloop_llm
      COMMENT "${op} ${name}: propose"
      WORKING_DIRECTORY "${working_directory}"
      VERBATIM
    )
    add_custom_command(
      OUTPUT "${directory}/compile.json"
      COMMAND
        "${tool}" compile --config "${config}" --version ${version} --device ${DEVICE}
        --architectures "${ARCHITECTURES}"
        "$<$<BOOL:${COMPILE_OPTIONS}>:--options=$<JOIN:${COMPILE_OPTIONS},;--options=>>" --depfile
        "${directory}/compile.d"
      DEPENDS "${directory}/proposed.json" "${contract}"
      # Names the version's source, which need not exist yet: an edit by hand compiles it again.
      DEPFILE "${directory}/compile.d"
      COMMENT "${op} ${name}: compile"
      COMMAND_EXPAND_LISTS
      WORKING_DIRECTORY "${working_directory}"
      VERBATIM
    )
    add_custom_command(
      OUTPUT "${directory}/verify.json"
      COMMAND
        "${DEVICE_LAUNCHER}" "${device_tool}" verify --contract "${contract}" --checks "${checks}"
        --compiled "${directory}/compile.json" --reference "${reference}" --device ${DEVICE} --rules
        ${KERNELLOOP_VERIFICATION_RULES} "$<$<BOOL:${SANITIZER}>:--sanitizer>"
        "$<$<BOOL:${SHARE_GPU}>:--share-gpu>" --output "${directory}/verify.json"
      DEPENDS "${directory}/compile.json" "${contract}" "${checks}" ${op}_reference
      JOB_POOL kernelloop_gpu
      COMMENT "${op} ${name}: verify"
      COMMAND_EXPAND_LISTS
      WORKING_DIRECTORY "${working_directory}"
      VERBATIM
    )
    add_custom_command(
      OUTPUT "${directory}/bench.json"
      COMMAND
        "${DEVICE_LAUNCHER}" "${device_tool}" bench --contract "${contract}" --timing "${timing}"
        --compiled "${directory}/compile.json" --verified "${directory}/verify.json" --reference
        "${reference}" --device ${DEVICE} --rules ${KERNELLOOP_MEASUREMENT_RULES} --cache-dir
        "${CMAKE_BINARY_DIR}/kernelloop/ceilings" --output "${directory}/bench.json"
      DEPENDS
        "${directory}/compile.json"
        "${directory}/verify.json"
        "${contract}"
        "${timing}"
        ${op}_reference
      JOB_POOL kernelloop_gpu
      COMMENT "${op} ${name}: bench"
      COMMAND_EXPAND_LISTS
      WORKING_DIRECTORY "${working_directory}"
      VERBATIM
    )
    if(DEVICE STREQUAL "cuda")
      add_custom_command(
        OUTPUT "${directory}/profile.json"
        COMMAND
          "${DEVICE_LAUNCHER}" "${device_tool}" profile --timing "${timing}" --compiled
          "${directory}/compile.json" --verified "${directory}/verify.json" --measured
          "${directory}/bench.json" --output "${directory}/profile.json"
        DEPENDS
          "${directory}/compile.json"
          "${directory}/verify.json"
          "${directory}/bench.json"
          "${timing}"
        JOB_POOL kernelloop_gpu
        COMMENT "${op} ${name}: profile"
        COMMAND_EXPAND_LISTS
        WORKING_DIRECTORY "${working_directory}"
        VERBATIM
      )
    endif()
    # Nothing waits for a trace: it is taken when somebody wants to look (trace_<op>). Its figures
    # differ from run to run, and what a prompt is made of must not.
    if(DEVICE STREQUAL "cuda")
      add_custom_command(
        OUTPUT "${directory}/traced/compile.json"
        COMMAND
          "${tool}" compile --config "${config}" --version ${version} --device ${DEVICE}
          --architectures "${ARCHITECTURES}"
          "$<$<BOOL:${COMPILE_OPTIONS}>:--options=$<JOIN:${COMPILE_OPTIONS},;--options=>>" --traced
          --depfile "${directory}/traced/compile.d"
        DEPENDS "${directory}/proposed.json" "${contract}"
        DEPFILE "${directory}/traced/compile.d"
        COMMENT "${op} ${name}: compile for a trace"
        COMMAND_EXPAND_LISTS
        WORKING_DIRECTORY "${working_directory}"
        VERBATIM
      )
      add_custom_command(
        OUTPUT "${directory}/trace.json"
        COMMAND
          "${DEVICE_LAUNCHER}" "${device_tool}" trace --timing "${timing}" --compiled
          "${directory}/compile.json" --traced "${directory}/traced/compile.json" --verified
          "${directory}/verify.json" --output "${directory}/trace.json"
        DEPENDS
          "${directory}/compile.json"
          "${directory}/traced/compile.json"
          "${directory}/verify.json"
          "${timing}"
        JOB_POOL kernelloop_gpu
        COMMENT "${op} ${name}: trace"
        COMMAND_EXPAND_LISTS
        WORKING_DIRECTORY "${working_directory}"
        VERBATIM
      )
      list(APPEND looks "${directory}/trace.json")
    endif()
    foreach(step IN ITEMS proposed compile verify bench)
      list(APPEND round_facts "${directory}/${step}.json")
    endforeach()
    if(DEVICE STREQUAL "cuda")
      list(APPEND round_facts "${directory}/profile.json")
    endif()

    # The last round may be a short one.
    math(EXPR position "${version} % ${CANDIDATES}")
    if(position EQUAL 0 OR version EQUAL VERSIONS)
      math(EXPR round "(${version} + ${CANDIDATES} - 1) / ${CANDIDATES}")
      add_custom_command(
        OUTPUT "${directory}/history.json" "${directory}/feedback.md"
        COMMAND "${tool}" learn --config "${config}" --round ${round} --sol-target "${SOL_TARGET}"
        DEPENDS ${round_facts} ${previous_history} ${baselines}
        COMMENT "${op} round ${round}: learn"
        WORKING_DIRECTORY "${working_directory}"
        VERBATIM
      )
      set(previous_history "${directory}/history.json")
      set(known "${directory}/history.json" "${directory}/feedback.md")
      set(round_facts "")
    endif()
  endforeach()
  # No command of its own, so that a second build has no work to do.
  add_custom_target(optimize_${op} DEPENDS ${known})
  # The report shows what there is. It names no step's output, neither here nor in its depfile, or it
  # would have them built and a model asked; the depfile names their directories, which are newer
  # once a step has replaced a file in them.
  add_custom_command(
    OUTPUT "${BUILD_DIR}/report.stamp"
    COMMAND
      "${tool}" report --config "${config}" --write --stamp "${BUILD_DIR}/report.stamp" --depfile
      "${BUILD_DIR}/report.d"
    DEPFILE "${BUILD_DIR}/report.d"
    COMMENT "${op}: report"
    WORKING_DIRECTORY "${working_directory}"
    VERBATIM
  )
  add_custom_target(report_${op} DEPENDS "${BUILD_DIR}/report.stamp")
  # CMake leaves out what no target wants. Nobody builds this one: trace_<op> asks for single files.
  if(NOT looks STREQUAL "")
    add_custom_target(_kernelloop_looks_${op} DEPENDS ${looks})
  endif()
endfunction()
