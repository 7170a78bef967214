# _kernelloop_find_program(<op> <out> <program> <variable>)
#
# How command lines name one of KernelLoop's two programs. A program given by the user in
# <variable> (KERNELLOOP_TOOL, KERNELLOOP_DEVICE_TOOL) comes first, then the target, imported or
# built by this project. By generator expression: the program is built before the steps run, and
# relinking it re-runs none of them.
function(_kernelloop_find_program op out program variable)
  if(NOT "${${variable}}" STREQUAL "")
    set(path "${${variable}}")
    if(NOT IS_ABSOLUTE "${path}" OR NOT EXISTS "${path}" OR IS_DIRECTORY "${path}")
      message(
        FATAL_ERROR
        "add_kernel_op(${op}): ${variable} is \"${path}\", but must be the absolute path of an "
        "existing ${program} program. Correct it, or unset it to use KernelLoop's own."
      )
    endif()
    set(${out} "${path}" PARENT_SCOPE)
  elseif(TARGET KernelLoop::${program})
    set(${out} "$<TARGET_FILE:KernelLoop::${program}>" PARENT_SCOPE)
  else()
    message(
      FATAL_ERROR
      "add_kernel_op(${op}): there is no program KernelLoop::${program}. Call "
      "find_package(KernelLoop) or add_subdirectory(<KernelLoop>) first, or set ${variable} to the "
      "path of a built one."
    )
  endif()
endfunction()
