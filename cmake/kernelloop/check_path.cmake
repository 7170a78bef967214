# _kernelloop_check_path(<op> <label> <path>)
#
# Stops when <path> holds a character with which CMake, Ninja or a file of dependencies between them
# would mean something else. Ninja ends a path in a compiler's file of dependencies at & ' * ^ ` and
# would then compile, verify and time at every build. Spaces, %, @, parentheses and letters of any
# language do no harm.
function(_kernelloop_check_path op label path)
  if(NOT path MATCHES "[]#$\"|<>;&'*^`\\\\[]")
    return()
  endif()
  message(
    FATAL_ERROR
    "add_kernel_op(${op}): ${label} is ${path}, and CMake or Ninja cannot pass on the character "
    "${CMAKE_MATCH_0} in a path. Use letters, digits, spaces and . _ - + = : @ % ( ) only."
  )
endfunction()
