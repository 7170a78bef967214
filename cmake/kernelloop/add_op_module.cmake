# _kernelloop_add_op_module(<op> <target> <option> <source>)
#
# A module that the device program loads, built by the user's compiler from the source that <option>
# of add_kernel_op names.
function(_kernelloop_add_op_module op target option source)
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
      "add_kernel_op(${op}): ${option} \"${source}\" and the library kernelloop::${op} need the "
      "language ${missing}, which the project has not enabled. Add it to project(... LANGUAGES) or "
      "call enable_language(${missing}) first."
    )
  endif()
  # Else CMake's own message, at the end of the run, names neither the option nor the file.
  cmake_path(GET source EXTENSION LAST_ONLY suffix)
  string(REGEX REPLACE "^\\." "" suffix "${suffix}")
  get_source_file_property(declared "${source}" LANGUAGE)
  if(NOT declared AND NOT suffix IN_LIST CMAKE_${language}_SOURCE_FILE_EXTENSIONS)
    message(
      FATAL_ERROR
      "add_kernel_op(${op}): ${option} names \"${source}\", which by its name is no source of C++ "
      "or CUDA. Name a .cpp or .cu file."
    )
  endif()
  add_library(${target} MODULE EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(${target} PRIVATE KernelLoop::headers)
  target_compile_features(${target} PRIVATE cxx_std_17)
  if(language STREQUAL "CXX")
    # Big shapes would take most of a verification's time in a debug build.
    target_compile_options(
      ${target}
      PRIVATE $<$<NOT:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-O2>
    )
  endif()
  set_target_properties(
    ${target}
    PROPERTIES
      PREFIX ""
      # The device program looks its functions up by name.
      ${language}_VISIBILITY_PRESET default
      UNITY_BUILD OFF
  )
endfunction()
