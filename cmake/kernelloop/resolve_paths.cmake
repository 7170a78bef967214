# _kernelloop_resolve_files(<op> <label> <out> <base> <path>...)
#
# The paths made absolute from <base>; stops when one is not there. BASELINES may name targets, which
# stay as they are.
function(_kernelloop_resolve_files op label out base)
  set(resolved "")
  foreach(path IN LISTS ARGN)
    if(label MATCHES "BASELINES$" AND TARGET "${path}")
      list(APPEND resolved "${path}")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${base}" NORMALIZE OUTPUT_VARIABLE absolute)
    if(NOT EXISTS "${absolute}")
      message(
        FATAL_ERROR
        "add_kernel_op(${op}): ${label} names \"${path}\", but there is no ${absolute}. "
        "Create it or correct the path; relative paths start at ${base}."
      )
    elseif(IS_DIRECTORY "${absolute}" AND NOT label MATCHES "CONTEXT$")
      message(
        FATAL_ERROR
        "add_kernel_op(${op}): ${label} names \"${path}\", but ${absolute} is a directory. "
        "Name the file in it."
      )
    endif()
    _kernelloop_check_path("${op}" "${label}" "${absolute}")
    list(APPEND resolved "${absolute}")
  endforeach()
  set(${out} "${resolved}" PARENT_SCOPE)
endfunction()
