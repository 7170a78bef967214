# _kernelloop_add_op_baselines(<op> <out> <file-or-target>...)
#
# The libraries of the baselines: of each source file the module <op>_baseline_<stem>, built by the
# user's compiler; a target is taken as it is. Their targets come back in <out>.
function(_kernelloop_add_op_baselines op out)
  set(targets "")
  set(names "")
  foreach(baseline IN LISTS ARGN)
    set(name "${baseline}")
    if(NOT TARGET "${baseline}")
      cmake_path(GET baseline STEM name)
    endif()
    if(name IN_LIST names)
      message(
        FATAL_ERROR
        "add_kernel_op(${op}): two BASELINES are called \"${name}\". Give the files different names."
      )
    endif()
    list(APPEND names "${name}")
    if(TARGET "${baseline}")
      get_target_property(type "${baseline}" TYPE)
      if(NOT type MATCHES "^(MODULE|SHARED)_LIBRARY$")
        message(
          FATAL_ERROR
          "add_kernel_op(${op}): BASELINES names the target ${baseline}, which is no MODULE or "
          "SHARED library (${type}). Make it one with KERNELLOOP_BASELINE(${op}) in it."
        )
      endif()
      set(target "${baseline}")
    else()
      set(target ${op}_baseline_${name})
      _kernelloop_add_op_module(${op} ${target} BASELINES "${baseline}")
      set_target_properties(
        ${target}
        PROPERTIES
          OUTPUT_NAME "${name}"
          LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/kernelloop/${op}/baselines"
      )
    endif()
    list(APPEND targets ${target})
  endforeach()
  set(${out} "${targets}" PARENT_SCOPE)
endfunction()
