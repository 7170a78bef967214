# _kernelloop_check_value(<op> <label> <kind> <value>)
#
# Stops with one message when <value> is not legal. <label> says where the value comes from: an
# argument (VERSIONS) or a variable or property (KERNELLOOP_VERSIONS).
function(_kernelloop_check_value op label kind value)
  set(wrong "add_kernel_op(${op}): ${label} is \"${value}\", but must be")
  if(kind MATCHES "^(VERSIONS|CANDIDATES|TEST_TIMEOUT)$")
    if(NOT value MATCHES "^[1-9][0-9]*$")
      message(FATAL_ERROR "${wrong} a positive integer, for example ${label} 8.")
    endif()
    # Each version is five steps of the graph, made at configure time.
    string(LENGTH "${value}" digits)
    if(kind MATCHES "^(VERSIONS|CANDIDATES)$" AND digits GREATER 4)
      message(FATAL_ERROR "${wrong} at most 9999, for example ${label} 8.")
    endif()
  elseif(kind MATCHES "^(RUN_)?BUDGET_USD$")
    # The programs refuse more than 1e9, of dollars and of the counts below.
    if(NOT value MATCHES "^(|0*[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9](\\.[0-9]+)?)$")
      message(FATAL_ERROR "${wrong} an amount of US dollars below 1e9, for example ${label} 2.50.")
    endif()
  elseif(kind MATCHES "^(RUN_)?BUDGET_(TOKENS|REQUESTS)$")
    string(LENGTH "${value}" digits)
    if(NOT value MATCHES "^(|0|[1-9][0-9]*)$" OR digits GREATER 9)
      message(FATAL_ERROR "${wrong} an integer of 0 or more, below 1e9, for example ${label} 100.")
    endif()
  elseif(kind STREQUAL "FIX_LIMIT")
    string(LENGTH "${value}" digits)
    if(NOT value MATCHES "^(0|[1-9][0-9]*)$" OR digits GREATER 4)
      message(FATAL_ERROR "${wrong} an integer from 0 to 9999, for example ${label} 3.")
    endif()
  elseif(kind STREQUAL "SOL_TARGET")
    if(
      NOT value MATCHES "^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)$"
      OR value LESS_EQUAL 0
      OR value GREATER 1
    )
      message(
        FATAL_ERROR
        "${wrong} a fraction of the roofline over 0 and up to 1, for example ${label} 0.9."
      )
    endif()
  elseif(kind STREQUAL "LANGUAGE")
    _kernelloop_languages(languages)
    list(JOIN languages ", " legal)
    set(seen "")
    foreach(language IN LISTS value)
      if(NOT language IN_LIST languages)
        message(FATAL_ERROR "${wrong} one or more of: ${legal}.")
      elseif(language IN_LIST seen)
        message(FATAL_ERROR "${wrong} names that differ; ${language} comes twice.")
      endif()
      list(APPEND seen "${language}")
    endforeach()
  elseif(kind STREQUAL "DEVICE")
    if(NOT value MATCHES "^(auto|cuda|cpu)$")
      message(FATAL_ERROR "${wrong} one of: auto, cuda, cpu.")
    endif()
  elseif(kind STREQUAL "PROVIDER")
    if(NOT value MATCHES "^(auto|replay|manual|command|anthropic|openai|openai-chat)$")
      message(
        FATAL_ERROR
        "${wrong} one of: auto, replay, manual, command, anthropic, openai, openai-chat."
      )
    endif()
  elseif(kind STREQUAL "ARCHITECTURES")
    if(value STREQUAL "")
      message(FATAL_ERROR "${wrong} at least one GPU architecture, for example ${label} 90a.")
    endif()
    foreach(architecture IN LISTS value)
      if(NOT architecture MATCHES "^[1-9][0-9]+[af]?$")
        message(FATAL_ERROR "${wrong} GPU architectures such as 80, 90a or 100f.")
      endif()
    endforeach()
  endif()
endfunction()
