# _kernelloop_add_op_reference(<op> <source>)
#
# The module <op>_reference, built by the user's compiler and loaded by the device program.
function(_kernelloop_add_op_reference op source)
  set(language CXX)
  if(source MATCHES "\\.cu$")
    set(language CUDA)
  endif()
  get_property(enabled GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT language IN_LIST enabled OR NOT "CXX" IN_LIST enabled)
    if("CXX" IN_LIST enabled)
      set(missing ${language})
    else()
      set(missing CXX)
    endif()
    message(
      FATAL_ERROR
      "add_kernel_op(${op}): REFERENCE \"${source}\" and the library kernelloop::${op} need the "
      "language ${missing}, which the project has not enabled. Add it to project(... LANGUAGES) or "
      "call enable_language(${missing}) first."
    )
  endif()
  add_library(${op}_reference MODULE EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(${op}_reference PRIVATE KernelLoop::headers)
  if(language STREQUAL "CXX" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    # kernelloop/reference.h starts threads.
    target_compile_options(${op}_reference PRIVATE -pthread)
    target_link_options(${op}_reference PRIVATE -pthread)
  endif()
  target_compile_features(${op}_reference PRIVATE cxx_std_17)
  if(language STREQUAL "CXX")
    # Big shapes would take most of a verification's time in a debug build.
    target_compile_options(
      ${op}_reference
      PRIVATE $<$<NOT:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-O2>
    )
  endif()
  set_target_properties(
    ${op}_reference
    PROPERTIES
      PREFIX ""
      OUTPUT_NAME reference
      LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/kernelloop/${op}"
      # The device program looks its functions up by name.
      ${language}_VISIBILITY_PRESET default
      UNITY_BUILD OFF
  )
endfunction()
