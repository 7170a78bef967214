# add_kernel_op(<name> SPEC <file> REFERENCE <file>
#               [LANGUAGE <l>...] [VERSIONS <n>] [CANDIDATES <n>] [FIX_LIMIT <n>]
#               [BUDGET_USD <x>] [BUDGET_TOKENS <n>] [BUDGET_REQUESTS <n>]
#               [PROVIDER <p>] [MODEL <m>] [CONTEXT <dir>...] [HINTS <file>] [BASELINES <file-or-target>...]
#               [SOL_TARGET <x>] [ARCHITECTURES <a>...] [COMPILE_OPTIONS <o>...]
#               [DEVICE auto|cuda|cpu] [LABELS <l>...] [EXCLUDE_FROM_OPTIMIZE_ALL])
#
# Declares the operator <name>:
#   kernelloop::<name>  library of the adopted version (alias of the target <name>)
#   optimize_<name>     runs the loop: propose, compile, verify, bench, learn, per version
#   verify_<name>       verifies the versions that exist; asks no model
#   bench_<name>        times the versions that exist; asks no model
#   report_<name>       prints the table of versions
#   adopt_<name>        adopts the best verified version, if it beats the incumbent
#   *_all               the same of all operators
#   kernelloop.<name>.* tests, where the project enables testing
#
# SPEC          op.json: axes, tensors, cost, workloads, tolerance
# REFERENCE     a slow, obviously right implementation of kernelloop/reference.h
# LANGUAGE      kernel languages of the versions: CUDA, CUTE, CUTILE, GLUON, TILELANG,
#               TRITON (CUDA). Of several, the first rounds try each
# VERSIONS      how many versions the loop may try (8)
# CANDIDATES    versions tried side by side in one round (1)
# FIX_LIMIT     how often one proposal may mend a compile error (3)
# BUDGET_USD, BUDGET_TOKENS, BUDGET_REQUESTS
#               what all requests for this operator may cost; the loop stops before one that may
#               exceed it (no limit). The variables KERNELLOOP_RUN_BUDGET_USD and so on do the same
#               for all requests of one build.
# PROVIDER      auto, replay, manual, command, anthropic, openai or openai-chat (auto)
# MODEL         the provider's model
# CONTEXT       directories that the model may search
# HINTS         steering words, read by the next proposal (hints.md beside SPEC; need not exist)
# BASELINES     other implementations to compare with: files with KERNELLOOP_BASELINE(<name>), or
#               targets of MODULE libraries
# SOL_TARGET    fraction of the roofline at which the loop stops (0.9)
# ARCHITECTURES GPU architectures (90a)
# COMPILE_OPTIONS  extra options of the kernel compiler
# DEVICE        auto takes the GPU when there is one (or a launcher), else the CPU device
# LABELS        extra labels of the tests
#
# Every option is a target property KERNELLOOP_<OPTION> of <name>, initialised from the variable of
# that name; define_properties.cmake lists these and the ones that have no argument.
function(add_kernel_op op)
  set(
    single
    SPEC
    REFERENCE
    VERSIONS
    CANDIDATES
    FIX_LIMIT
    BUDGET_USD
    BUDGET_TOKENS
    BUDGET_REQUESTS
    PROVIDER
    MODEL
    HINTS
    SOL_TARGET
    DEVICE
  )
  set(
    multiple
    LANGUAGE
    CONTEXT
    BASELINES
    ARCHITECTURES
    COMPILE_OPTIONS
    LABELS
  )
  set(options EXCLUDE_FROM_OPTIMIZE_ALL)
  cmake_parse_arguments(PARSE_ARGV 1 arg "${options}" "${single}" "${multiple}")

  _kernelloop_check_new_op("${op}")
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    list(JOIN arg_UNPARSED_ARGUMENTS ", " unknown)
    list(JOIN single " " legal)
    list(JOIN multiple " " legal_lists)
    message(
      FATAL_ERROR
      "add_kernel_op(${op}): unknown argument(s): ${unknown}. Legal are: ${legal} ${legal_lists} "
      "${options}."
    )
  endif()
  # An empty value is mostly a variable that is not set; CMake itself drops it in silence.
  set(missing "${arg_KEYWORDS_MISSING_VALUES}")
  math(EXPR last "${ARGC} - 1")
  foreach(index RANGE 1 ${last})
    if(last GREATER 0 AND "${ARGV${index}}" STREQUAL "")
      math(EXPR before "${index} - 1")
      if("${ARGV${before}}" IN_LIST single)
        list(APPEND missing "${ARGV${before}}")
      endif()
    endif()
  endforeach()
  if(NOT missing STREQUAL "")
    list(REMOVE_DUPLICATES missing)
    list(SORT missing)
    list(JOIN missing ", " missing)
    message(
      FATAL_ERROR
      "add_kernel_op(${op}): missing value after: ${missing}. Give one or leave the keyword out."
    )
  endif()
  foreach(required IN ITEMS SPEC REFERENCE)
    if("${arg_${required}}" STREQUAL "")
      message(
        FATAL_ERROR
        "add_kernel_op(${op}): ${required} is missing. Write add_kernel_op(${op} SPEC <op.json> "
        "REFERENCE <file>)."
      )
    endif()
  endforeach()

  # The value of each option: the argument, else the variable, else the default.
  set(default_LANGUAGE CUDA)
  set(default_VERSIONS 8)
  set(default_CANDIDATES 1)
  set(default_FIX_LIMIT 3)
  set(default_PROVIDER auto)
  set(default_SOL_TARGET 0.9)
  set(default_ARCHITECTURES 90a)
  set(default_DEVICE auto)
  set(default_TEST_TIMEOUT 600)
  set(default_EXCLUDE_FROM_OPTIMIZE_ALL OFF)
  # Of the others any value is legal; a thousand operators would ask in vain many thousand times.
  set(
    checked
    LANGUAGE
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
    SOL_TARGET
    ARCHITECTURES
    DEVICE
    TEST_TIMEOUT
  )
  # Options without an argument.
  set(only_variables TEST_TIMEOUT RUN_BUDGET_USD RUN_BUDGET_TOKENS RUN_BUDGET_REQUESTS)
  foreach(
    option
    IN
    LISTS single multiple only_variables
    ITEMS EXCLUDE_FROM_OPTIMIZE_ALL DEVICE_LAUNCHER
  )
    set(label_${option} ${option})
    if(option STREQUAL "EXCLUDE_FROM_OPTIMIZE_ALL" AND arg_${option})
      set(value_${option} ON)
    elseif(NOT option STREQUAL "EXCLUDE_FROM_OPTIMIZE_ALL" AND DEFINED arg_${option})
      set(value_${option} "${arg_${option}}")
    elseif(NOT "${KERNELLOOP_${option}}" STREQUAL "")
      set(value_${option} "${KERNELLOOP_${option}}")
      set(label_${option} KERNELLOOP_${option})
    else()
      set(value_${option} "${default_${option}}")
    endif()
    if(option IN_LIST checked)
      _kernelloop_check_value("${op}" ${label_${option}} ${option} "${value_${option}}")
    endif()
  endforeach()
  _kernelloop_look_for_toolchains("${op}" ${value_LANGUAGE})
  set(base "${CMAKE_CURRENT_SOURCE_DIR}")
  foreach(option IN ITEMS SPEC REFERENCE CONTEXT BASELINES)
    _kernelloop_resolve_files(
      "${op}"
      ${label_${option}}
      value_${option}
      "${base}"
      ${value_${option}}
    )
  endforeach()
  if(value_HINTS STREQUAL "")
    # Not required to exist: a file that is written later is read by the next proposal.
    cmake_path(GET value_SPEC PARENT_PATH value_HINTS)
    cmake_path(APPEND value_HINTS "hints.md")
  else()
    _kernelloop_resolve_files("${op}" ${label_HINTS} value_HINTS "${base}" "${value_HINTS}")
  endif()
  set(default_GENERATED_DIR generated)
  set(default_REPORTS_DIR reports)
  set(default_RECORDINGS_DIR generated)
  foreach(option IN ITEMS GENERATED_DIR REPORTS_DIR RECORDINGS_DIR)
    set(value_${option} "${default_${option}}")
    if(NOT "${KERNELLOOP_${option}}" STREQUAL "")
      set(value_${option} "${KERNELLOOP_${option}}")
    endif()
    cmake_path(ABSOLUTE_PATH value_${option} BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE)
    _kernelloop_check_path("${op}" "KERNELLOOP_${option}" "${value_${option}}")
  endforeach()
  _kernelloop_find_program("${op}" tool kernelloop KERNELLOOP_TOOL)
  _kernelloop_find_program("${op}" device_tool kernelloop-device KERNELLOOP_DEVICE_TOOL)
  _kernelloop_add_op_reference(${op} "${value_REFERENCE}")
  _kernelloop_add_op_baselines(${op} baselines ${value_BASELINES})
  _kernelloop_resolve_device(value_DEVICE "${value_DEVICE}" "${value_DEVICE_LAUNCHER}")
  _kernelloop_find_toolkit()

  set(directory "${CMAKE_BINARY_DIR}/kernelloop/${op}")
  _kernelloop_add_op_library(${op} "${directory}" "${tool}")
  foreach(
    option
    IN
    LISTS single multiple only_variables
    ITEMS EXCLUDE_FROM_OPTIMIZE_ALL GENERATED_DIR REPORTS_DIR RECORDINGS_DIR
  )
    set_property(TARGET ${op} PROPERTY KERNELLOOP_${option} "${value_${option}}")
  endforeach()
  set_target_properties(
    ${op}
    PROPERTIES
      KERNELLOOP_BUILD_DIR "${directory}"
      _KERNELLOOP_TOOL "${tool}"
      _KERNELLOOP_DEVICE_TOOL "${device_tool}"
      _KERNELLOOP_BASELINE_TARGETS "${baselines}"
  )
  foreach(
    fixed
    IN
    ITEMS LANGUAGE VERSIONS CANDIDATES DEVICE GENERATED_DIR LABELS TEST_TIMEOUT BASELINES
  )
    set_property(TARGET ${op} PROPERTY _KERNELLOOP_FIXED_${fixed} "${value_${fixed}}")
  endforeach()

  # A directory for each operator, because CMake slows down with outputs of one name in one directory.
  set(_kernelloop_step_arguments ${op} "${CMAKE_CURRENT_BINARY_DIR}")
  add_subdirectory("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/steps" "${directory}/steps" EXCLUDE_FROM_ALL)
  _kernelloop_add_op_targets(${op})
  _kernelloop_add_op_tests(${op})

  get_property(ops GLOBAL PROPERTY KERNELLOOP_OPS)
  if("${ops}" STREQUAL "")
    # At the very end of the project all properties have their last values.
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _kernelloop_finalize)
  endif()
  set_property(GLOBAL APPEND PROPERTY KERNELLOOP_OPS ${op})
endfunction()
