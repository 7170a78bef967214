# _kernelloop_check_new_op(<op>)
#
# Stops when an operator of this name cannot be declared here: a wrong generator, a bad name, a
# second operator of the name, or a target that is already taken.
function(_kernelloop_check_new_op op)
  if(CMAKE_GENERATOR STREQUAL "Ninja Multi-Config")
    message(
      FATAL_ERROR
      "add_kernel_op(${op}): the generator \"Ninja Multi-Config\" would verify and time every "
      "version again at each switch of configuration. Use -G Ninja with one build directory per "
      "configuration."
    )
  elseif(NOT CMAKE_GENERATOR STREQUAL "Ninja")
    message(
      FATAL_ERROR
      "add_kernel_op(${op}): needs Ninja, but the generator is \"${CMAKE_GENERATOR}\", which would "
      "run steps again at every build. Configure an empty build directory with -G Ninja."
    )
  endif()
  if(NOT op MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(
      FATAL_ERROR
      "add_kernel_op(${op}): the name of an operator must be an identifier (letters, digits and "
      "underscores, no digit first), because it names targets and C++ functions."
    )
  elseif(op MATCHES "^(all|ceilings|clean|codegen|help|install|package|test)$")
    message(
      FATAL_ERROR
      "add_kernel_op(${op}): \"${op}\" is reserved for the build system. Choose another name."
    )
  endif()

  _kernelloop_check_path("${op}" "the build directory" "${CMAKE_BINARY_DIR}")
  _kernelloop_check_path("${op}" "the source directory" "${CMAKE_CURRENT_SOURCE_DIR}")

  get_property(ops GLOBAL PROPERTY KERNELLOOP_OPS)
  if(op IN_LIST ops)
    get_target_property(first ${op} SOURCE_DIR)
    message(
      FATAL_ERROR
      "add_kernel_op(${op}): an operator of this name is already declared in ${first}. Names are "
      "unique in the whole project; rename one of the two."
    )
  endif()
  set(names ${op} kernelloop::${op} ${op}_reference)
  foreach(
    verb
    IN
    ITEMS optimize verify bench report adopt
  )
    list(APPEND names ${verb}_${op})
    if("${ops}" STREQUAL "")
      list(APPEND names ${verb}_all)
    endif()
  endforeach()
  foreach(name IN LISTS names)
    if(TARGET ${name})
      message(
        FATAL_ERROR
        "add_kernel_op(${op}): needs a target named \"${name}\", but the project already has one. "
        "Rename the operator or that target."
      )
    endif()
  endforeach()
endfunction()
