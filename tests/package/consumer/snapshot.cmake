# snapshot(<when>): what a project can see of itself: variables, directory and global properties.
macro(snapshot when)
  get_cmake_property(variables_${when} VARIABLES)
  foreach(_variable IN LISTS variables_${when})
    set(value_${when}_${_variable} "${${_variable}}")
  endforeach()
  foreach(
    _property
    IN
    ITEMS
      COMPILE_DEFINITIONS
      COMPILE_OPTIONS
      INCLUDE_DIRECTORIES
      LINK_DIRECTORIES
      LINK_LIBRARIES
      LINK_OPTIONS
      BUILDSYSTEM_TARGETS
      TESTS
      ADDITIONAL_CLEAN_FILES
      CMAKE_CONFIGURE_DEPENDS
  )
    get_property(directory_${when}_${_property} DIRECTORY PROPERTY ${_property})
  endforeach()
  foreach(_property IN ITEMS USE_FOLDERS RULE_LAUNCH_COMPILE FIND_LIBRARY_USE_LIB64_PATHS)
    get_property(global_${when}_${_property} GLOBAL PROPERTY ${_property})
  endforeach()
endmacro()

# compare_snapshots(): what was there is as it was, and what is new carries a prefix.
function(compare_snapshots)
  foreach(variable IN LISTS variables_before)
    # Lists of what find_package has seen, and counters of the interpreter itself.
    if(variable MATCHES "^(variables_|value_|directory_|global_|_|CMAKE_MATCH_|ARG)")
      continue()
    endif()
    if(NOT "${value_before_${variable}}" STREQUAL "${value_after_${variable}}")
      message(
        SEND_ERROR
        "changed: ${variable} was \"${value_before_${variable}}\", is "
        "\"${value_after_${variable}}\""
      )
    endif()
  endforeach()
  foreach(variable IN LISTS variables_after)
    if(
      variable IN_LIST variables_before
      OR variable MATCHES "^(variables_|value_|directory_|global_|_|ARG)"
    )
      continue()
    endif()
    get_property(cached CACHE ${variable} PROPERTY TYPE)
    if(cached)
      # Caches of find_package carry the package's own prefix.
      # CMake's own project() and FindThreads leave the named two.
      if(
        variable MATCHES "^(CMAKE_|BUILD_)"
        AND NOT variable MATCHES "^(CMAKE_HAVE_LIBC_PTHREAD|CMAKE_PROJECT_VERSION(_[A-Z]+)?)$"
      )
        message(SEND_ERROR "new in the cache: ${variable}")
      endif()
    elseif(NOT variable MATCHES "^(KernelLoop|kernelloop|KERNELLOOP)_")
      message(SEND_ERROR "new: ${variable} = \"${${variable}}\"")
    endif()
  endforeach()
  foreach(
    property
    IN
    ITEMS
      COMPILE_DEFINITIONS
      COMPILE_OPTIONS
      INCLUDE_DIRECTORIES
      LINK_DIRECTORIES
      LINK_LIBRARIES
      LINK_OPTIONS
      BUILDSYSTEM_TARGETS
      TESTS
      ADDITIONAL_CLEAN_FILES
      CMAKE_CONFIGURE_DEPENDS
  )
    if(NOT "${directory_before_${property}}" STREQUAL "${directory_after_${property}}")
      message(SEND_ERROR "changed: directory property ${property}: ${directory_after_${property}}")
    endif()
  endforeach()
  foreach(property IN ITEMS USE_FOLDERS RULE_LAUNCH_COMPILE FIND_LIBRARY_USE_LIB64_PATHS)
    if(NOT "${global_before_${property}}" STREQUAL "${global_after_${property}}")
      message(SEND_ERROR "changed: global property ${property}: ${global_after_${property}}")
    endif()
  endforeach()
endfunction()
