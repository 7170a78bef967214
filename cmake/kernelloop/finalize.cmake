# _kernelloop_finalize()
#
# Runs once, after the top-level CMakeLists.txt, when properties and variables have their last
# values: job pools, checks, config.json of every operator, optimize_all.
function(_kernelloop_finalize)
  _kernelloop_add_pools()
  get_property(ops GLOBAL PROPERTY KERNELLOOP_OPS)
  foreach(op IN LISTS ops)
    foreach(
      name
      IN
      ITEMS LANGUAGE VERSIONS CANDIDATES DEVICE GENERATED_DIR LABELS TEST_TIMEOUT
    )
      get_property(now TARGET ${op} PROPERTY KERNELLOOP_${name})
      get_property(fixed TARGET ${op} PROPERTY _KERNELLOOP_FIXED_${name})
      if(NOT "${now}" STREQUAL "${fixed}")
        message(
          FATAL_ERROR
          "add_kernel_op(${op}): the property KERNELLOOP_${name} was changed to \"${now}\" after "
          "the call, but it shapes the build graph. Give it to add_kernel_op, or set the variable "
          "KERNELLOOP_${name} before the call."
        )
      endif()
    endforeach()
    foreach(
      name
      IN
      ITEMS
        FIX_LIMIT
        BUDGET_USD
        BUDGET_TOKENS
        BUDGET_REQUESTS
        RUN_BUDGET_USD
        RUN_BUDGET_TOKENS
        RUN_BUDGET_REQUESTS
        PROVIDER
        SOL_TARGET
        ARCHITECTURES
    )
      get_property(value TARGET ${op} PROPERTY KERNELLOOP_${name})
      _kernelloop_check_value(${op} KERNELLOOP_${name} ${name} "${value}")
    endforeach()
    get_property(host_compiler TARGET ${op} PROPERTY KERNELLOOP_HOST_COMPILER)
    if("${host_compiler}" STREQUAL "")
      set_property(TARGET ${op} PROPERTY KERNELLOOP_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
    endif()
    _kernelloop_write_config(${op})

    get_property(excluded TARGET ${op} PROPERTY KERNELLOOP_EXCLUDE_FROM_OPTIMIZE_ALL)
    if(NOT excluded)
      add_dependencies(optimize_all optimize_${op})
    endif()
  endforeach()

  # For build_existing.cmake.
  set(operators "set(known_ops ${ops})\n")
  foreach(op IN LISTS ops)
    foreach(pair IN ITEMS versions=VERSIONS candidates=CANDIDATES generated=GENERATED_DIR)
      string(REGEX MATCH "^([a-z]+)=([A-Z_]+)$" matched "${pair}")
      get_property(value TARGET ${op} PROPERTY KERNELLOOP_${CMAKE_MATCH_2})
      string(APPEND operators "set(${CMAKE_MATCH_1}_${op} [==[${value}]==])\n")
    endforeach()
  endforeach()
  file(
    CONFIGURE
    OUTPUT "${CMAKE_BINARY_DIR}/kernelloop/operators.cmake"
    CONTENT "@operators@"
    @ONLY
  )

  # The tests run what `all` would not build in a project that uses KernelLoop as a subdirectory.
  if(CMAKE_TESTING_ENABLED)
    add_custom_target(kernelloop_test_inputs ALL)
    foreach(op IN LISTS ops)
      add_dependencies(kernelloop_test_inputs ${op}_reference)
    endforeach()
    foreach(program IN ITEMS kernelloop kernelloop-device)
      if(TARGET KernelLoop::${program})
        add_dependencies(kernelloop_test_inputs KernelLoop::${program})
      endif()
    endforeach()
  endif()
endfunction()
