# _kernelloop_add_op_targets(<op>)
#
# optimize_, verify_, bench_, report_ and adopt_<op>, and with the first operator the same of all.
function(_kernelloop_add_op_targets op)
  foreach(name IN ITEMS BUILD_DIR VERSIONS CANDIDATES GENERATED_DIR)
    get_target_property(${name} ${op} KERNELLOOP_${name})
  endforeach()
  get_target_property(tool ${op} _KERNELLOOP_TOOL)
  get_target_property(last_facts ${op} _KERNELLOOP_LAST_FACTS)

  get_property(ops GLOBAL PROPERTY KERNELLOOP_OPS)
  if("${ops}" STREQUAL "")
    foreach(
      verb
      IN
      ITEMS optimize verify bench report adopt
    )
      add_custom_target(${verb}_all)
    endforeach()
  endif()

  # No command of its own, so that a second build has no work to do.
  add_custom_target(optimize_${op} DEPENDS ${last_facts})
  foreach(step IN ITEMS verify bench)
    add_custom_target(
      ${step}_${op}
      COMMAND
        "${CMAKE_COMMAND}" -D OP=${op} -D STEP=${step} -D VERSIONS=${VERSIONS} -D
        CANDIDATES=${CANDIDATES} -D "GENERATED_DIR=${GENERATED_DIR}" -D "BUILD_DIR=${BUILD_DIR}" -D
        "BINARY_DIR=${CMAKE_BINARY_DIR}" -D "NINJA=${CMAKE_MAKE_PROGRAM}" -P
        "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/build_existing.cmake"
      COMMENT "${op}: ${step} the versions that exist"
      USES_TERMINAL
      VERBATIM
    )
    # Built by this Ninja, so that the one inside finds them done.
    add_dependencies(${step}_${op} ${op}_reference)
    foreach(program IN ITEMS kernelloop kernelloop-device)
      if(TARGET KernelLoop::${program})
        add_dependencies(${step}_${op} KernelLoop::${program})
      endif()
    endforeach()
  endforeach()
  add_custom_target(
    report_${op}
    COMMAND "${tool}" report --config "${BUILD_DIR}/config.json"
    COMMENT "${op}: report"
    USES_TERMINAL
    VERBATIM
  )
  add_custom_target(
    adopt_${op}
    COMMAND "${tool}" adopt --config "${BUILD_DIR}/config.json"
    COMMENT "${op}: adopt"
    VERBATIM
  )
  foreach(verb IN ITEMS verify bench report adopt)
    add_dependencies(${verb}_all ${verb}_${op})
  endforeach()
endfunction()
