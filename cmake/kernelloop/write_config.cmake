# _kernelloop_write_config(<op>)
#
# config.json: what the tools need to know beyond their command lines (docs/formats.md). No step
# depends on it. Properties may hold generator expressions, except those that _kernelloop_finalize
# checks (FIX_LIMIT, budgets, PROVIDER, SOL_TARGET, ARCHITECTURES) or that shape the graph.
function(_kernelloop_write_config op)
  set(
    names
    SPEC
    REFERENCE
    BUILD_DIR
    GENERATED_DIR
    REPORTS_DIR
    RECORDINGS_DIR
    HINTS
    CONTEXT
    BASELINES
    LANGUAGE
    LABELS
    VERSIONS
    CANDIDATES
    FIX_LIMIT
    BUDGET_USD
    BUDGET_TOKENS
    BUDGET_REQUESTS
    RUN_BUDGET_USD
    RUN_BUDGET_TOKENS
    RUN_BUDGET_REQUESTS
    PROVIDER
    MODEL
    SOL_TARGET
    ARCHITECTURES
    COMPILE_OPTIONS
    DEVICE
    NVCC
    HOST_COMPILER
    DEVICE_LAUNCHER
  )
  foreach(name IN LISTS names)
    get_property(${name} TARGET ${op} PROPERTY KERNELLOOP_${name})
  endforeach()
  foreach(
    text
    IN
    ITEMS SPEC REFERENCE BUILD_DIR GENERATED_DIR REPORTS_DIR RECORDINGS_DIR HINTS
  )
    _kernelloop_json_string(${text} "${${text}}")
  endforeach()
  foreach(
    text
    IN
    ITEMS PROVIDER MODEL DEVICE NVCC HOST_COMPILER
  )
    _kernelloop_json_string(${text} "${${text}}")
  endforeach()
  foreach(
    items
    IN
    ITEMS CONTEXT BASELINES LANGUAGE LABELS ARCHITECTURES COMPILE_OPTIONS DEVICE_LAUNCHER
  )
    _kernelloop_json_list(${items} ${${items}})
  endforeach()
  get_target_property(device_tool ${op} _KERNELLOOP_DEVICE_TOOL)
  _kernelloop_json_string(device_tool "${device_tool}")
  get_target_property(include_dir KernelLoop::headers INTERFACE_INCLUDE_DIRECTORIES)
  _kernelloop_json_string(include_dir "${include_dir}")
  foreach(limit IN ITEMS USD TOKENS REQUESTS)
    foreach(name IN ITEMS BUDGET_${limit} RUN_BUDGET_${limit})
      # JSON has no "007.5" either.
      string(REGEX REPLACE "^0+([0-9])" "\\1" ${name} "${${name}}")
      if("${${name}}" STREQUAL "")
        set(${name} null)
      endif()
    endforeach()
  endforeach()
  get_target_property(notes_dir KernelLoop::headers _KERNELLOOP_NOTES_DIR)
  if(NOT IS_DIRECTORY "${notes_dir}")
    set(notes_dir "")
  endif()
  _kernelloop_json_string(notes_dir "${notes_dir}")
  # Devices of other classes, each with a launcher of its own.
  set(fleet "")
  get_property(architectures TARGET ${op} PROPERTY KERNELLOOP_ARCHITECTURES)
  foreach(architecture IN LISTS architectures)
    get_property(launcher TARGET ${op} PROPERTY KERNELLOOP_DEVICE_LAUNCHER_${architecture})
    if(NOT "${launcher}" STREQUAL "")
      _kernelloop_json_list(launcher ${launcher})
      list(APPEND fleet "\"${architecture}\": ${launcher}")
    endif()
  endforeach()
  list(JOIN fleet ", " fleet)
  # JSON has no ".9" and no "1.".
  if(SOL_TARGET MATCHES "^\\.")
    set(SOL_TARGET "0${SOL_TARGET}")
  endif()
  string(REGEX REPLACE "\\.$" "" SOL_TARGET "${SOL_TARGET}")

  file(
    GENERATE OUTPUT "${CMAKE_BINARY_DIR}/kernelloop/${op}/config.json"
    CONTENT
      "{
  \"schema_version\": 1,
  \"op\": \"${op}\",
  \"spec\": ${SPEC},
  \"reference_source\": ${REFERENCE},
  \"reference_library\": \"$<TARGET_FILE:${op}_reference>\",
  \"build_dir\": ${BUILD_DIR},
  \"generated_dir\": ${GENERATED_DIR},
  \"reports_dir\": ${REPORTS_DIR},
  \"recordings_dir\": ${RECORDINGS_DIR},
  \"hints\": ${HINTS},
  \"context\": ${CONTEXT},
  \"notes_dir\": ${notes_dir},
  \"baselines\": ${BASELINES},
  \"languages\": ${LANGUAGE},
  \"labels\": ${LABELS},
  \"versions\": ${VERSIONS},
  \"candidates\": ${CANDIDATES},
  \"fix_limit\": ${FIX_LIMIT},
  \"budget\": {\"usd\": ${BUDGET_USD}, \"tokens\": ${BUDGET_TOKENS}, \"requests\": ${BUDGET_REQUESTS}},
  \"run_budget\": {\"usd\": ${RUN_BUDGET_USD}, \"tokens\": ${RUN_BUDGET_TOKENS}, \"requests\": ${RUN_BUDGET_REQUESTS}},
  \"provider\": ${PROVIDER},
  \"model\": ${MODEL},
  \"sol_target\": ${SOL_TARGET},
  \"architectures\": ${ARCHITECTURES},
  \"compile_options\": ${COMPILE_OPTIONS},
  \"device\": ${DEVICE},
  \"nvcc\": ${NVCC},
  \"host_compiler\": ${HOST_COMPILER},
  \"cpu_include_dir\": ${include_dir},
  \"device_launcher\": ${DEVICE_LAUNCHER},
  \"fleet\": {${fleet}},
  \"device_tool\": ${device_tool}
}
"
    TARGET ${op}
  )
endfunction()
