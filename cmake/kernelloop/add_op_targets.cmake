# _kernelloop_add_op_targets(<op>)
#
# verify_, bench_ and adopt_<op> (profile_ and trace_<op> on a GPU), and with the first operator the same of all
# and optimize_all. optimize_<op> and report_<op> stand beside the steps.
function(_kernelloop_add_op_targets op)
  get_target_property(directory ${op} KERNELLOOP_BUILD_DIR)
  get_target_property(tool ${op} _KERNELLOOP_TOOL)
  set(
    build_existing
    -D
    "BINARY_DIR=${CMAKE_BINARY_DIR}"
    -D
    "NINJA=${CMAKE_MAKE_PROGRAM}"
    -P
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/build_existing.cmake"
  )

  get_property(ops GLOBAL PROPERTY KERNELLOOP_OPS)
  if("${ops}" STREQUAL "")
    foreach(verb IN ITEMS optimize report adopt)
      add_custom_target(${verb}_all)
    endforeach()
    foreach(step IN ITEMS verify bench)
      add_custom_target(
        ${step}_all
        COMMAND "${CMAKE_COMMAND}" -D STEP=${step} ${build_existing}
        COMMENT "${step} the versions that exist"
        USES_TERMINAL
        VERBATIM
      )
    endforeach()
  endif()

  set(steps verify bench)
  get_target_property(device ${op} KERNELLOOP_DEVICE)
  if(device STREQUAL "cuda")
    list(APPEND steps profile trace)
  endif()
  foreach(step IN LISTS steps)
    add_custom_target(
      ${step}_${op}
      COMMAND "${CMAKE_COMMAND}" -D STEP=${step} -D OPS=${op} ${build_existing}
      COMMENT "${op}: ${step} the versions that exist"
      USES_TERMINAL
      VERBATIM
    )
    # Built by this Ninja, so that the one inside finds them done.
    foreach(target IN ITEMS ${step}_${op} ${step}_all)
      if(NOT TARGET ${target})
        continue() # there is no trace_all: nobody looks at all of them
      endif()
      add_dependencies(${target} ${op}_reference)
      foreach(program IN ITEMS kernelloop kernelloop-device)
        if(TARGET KernelLoop::${program})
          add_dependencies(${target} KernelLoop::${program})
        endif()
      endforeach()
    endforeach()
  endforeach()
  add_custom_target(
    adopt_${op}
    COMMAND "${tool}" adopt --config "${directory}/config.json"
    COMMENT "${op}: adopt"
    VERBATIM
  )
  # Devices of other classes: the variable's value, unless the property is set later.
  get_target_property(architectures ${op} KERNELLOOP_ARCHITECTURES)
  set(classes "")
  foreach(architecture IN LISTS architectures)
    if(NOT "${KERNELLOOP_DEVICE_LAUNCHER_${architecture}}" STREQUAL "")
      set_property(
        TARGET ${op}
        PROPERTY
          KERNELLOOP_DEVICE_LAUNCHER_${architecture} ${KERNELLOOP_DEVICE_LAUNCHER_${architecture}}
      )
      list(APPEND classes ${architecture})
    endif()
  endforeach()
  if(NOT classes STREQUAL "")
    add_custom_target(
      fleet_${op}
      COMMAND "${tool}" fleet --config "${directory}/config.json"
      JOB_POOL kernelloop_gpu
      COMMENT "${op}: judge the versions on devices for ${classes}"
      VERBATIM
    )
    if(NOT TARGET fleet_all)
      add_custom_target(fleet_all)
    endif()
    add_dependencies(fleet_all fleet_${op})
  endif()
  foreach(verb IN ITEMS report adopt)
    add_dependencies(${verb}_all ${verb}_${op})
  endforeach()
endfunction()
