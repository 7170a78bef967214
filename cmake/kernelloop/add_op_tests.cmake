# _kernelloop_add_op_tests(<op>)
#
# The gate: tests of the adopted version, and one of the test ladder itself. CMake drops them where
# the project enables no testing.
function(_kernelloop_add_op_tests op)
  foreach(
    name
    IN
    ITEMS BUILD_DIR DEVICE LABELS SPEC TEST_TIMEOUT
  )
    get_target_property(${name} ${op} KERNELLOOP_${name})
  endforeach()
  get_target_property(tool ${op} _KERNELLOOP_TOOL)
  get_target_property(device_tool ${op} _KERNELLOOP_DEVICE_TOOL)
  include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/rules.cmake")
  set(config "${BUILD_DIR}/config.json")
  set(
    rules
    --verification-rules
    ${KERNELLOOP_VERIFICATION_RULES}
    --measurement-rules
    ${KERNELLOOP_MEASUREMENT_RULES}
  )
  set(rungs ${KERNELLOOP_LADDER})
  if(NOT DEVICE STREQUAL "cuda")
    list(REMOVE_ITEM rungs ${KERNELLOOP_GPU_RUNGS})
  endif()
  set(device_label cpu)
  set(one_slot "")
  set(all_slots "")
  if(DEVICE STREQUAL "cuda")
    set(device_label gpu)
    set(one_slot RESOURCE_GROUPS gpus:1)
    # The resource specification says how many slots a GPU has; a timing takes them all.
    set(all_slots RESOURCE_GROUPS gpus:1)
    if(NOT "${KERNELLOOP_GPU_SLOTS}" STREQUAL "")
      set(all_slots RESOURCE_GROUPS gpus:${KERNELLOOP_GPU_SLOTS})
    endif()
  endif()

  foreach(rung IN LISTS rungs)
    set(test kernelloop.${op}.${rung})
    add_test(
      NAME ${test}
      COMMAND "${tool}" check --config "${config}" --rung ${rung} ${rules}
    )
    set_tests_properties(
      ${test}
      PROPERTIES LABELS "kernelloop;${op};${rung};${device_label};${LABELS}" ${one_slot}
    )
    # The first one compiles for all of them; started beside it, another would only wait.
    if(NOT rung STREQUAL "build")
      set_tests_properties(${test} PROPERTIES DEPENDS kernelloop.${op}.build)
    endif()
  endforeach()
  add_test(NAME kernelloop.${op}.provenance COMMAND "${tool}" provenance --config "${config}")
  set_tests_properties(
    kernelloop.${op}.provenance
    PROPERTIES LABELS "kernelloop;${op};provenance;cpu;${LABELS}"
  )
  # Needs neither a version nor a device, and so no launcher.
  add_test(
    NAME kernelloop.${op}.oracle
    COMMAND
      "${device_tool}" oracle --spec "${SPEC}" --reference "$<TARGET_FILE:${op}_reference>" --rules
      ${KERNELLOOP_VERIFICATION_RULES}
  )
  set_tests_properties(
    kernelloop.${op}.oracle
    PROPERTIES LABELS "kernelloop;${op};oracle;cpu;${LABELS}"
  )
  add_test(
    NAME kernelloop.${op}.performance
    COMMAND "${tool}" check --config "${config}" --performance ${rules}
  )
  set_tests_properties(
    kernelloop.${op}.performance
    PROPERTIES
      LABELS "kernelloop;${op};performance;${device_label};${LABELS}"
      RUN_SERIAL ON
      ${all_slots}
  )
  set(tests ${rungs} provenance oracle performance)
  list(TRANSFORM tests PREPEND kernelloop.${op}.)
  set_tests_properties(${tests} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${TEST_TIMEOUT})
endfunction()
