# _kernelloop_languages(<out>)
#
# CUDA, and the languages of the adapters: tools/languages/adapters/<language>_adapter.py.
function(_kernelloop_languages out)
  get_target_property(adapters KernelLoop::headers _KERNELLOOP_ADAPTERS_DIR)
  file(GLOB files "${adapters}/*_adapter.py")
  set(languages CUDA)
  foreach(file IN LISTS files)
    cmake_path(GET file STEM language)
    string(REGEX REPLACE "_adapter$" "" language "${language}")
    string(TOUPPER "${language}" language)
    list(APPEND languages "${language}")
  endforeach()
  set(${out} "${languages}" PARENT_SCOPE)
endfunction()

# _kernelloop_look_for_toolchains(<op> <language>...)
#
# Says in one line each which languages of <op> have no toolchain here. Proposing needs it;
# everything else goes on. A toolchain is named after the first package that an adapter requires.
function(_kernelloop_look_for_toolchains op)
  get_target_property(adapters KernelLoop::headers _KERNELLOOP_ADAPTERS_DIR)
  set(cache "$ENV{XDG_CACHE_HOME}")
  if(NOT IS_ABSOLUTE "${cache}")
    set(cache "$ENV{HOME}/.cache")
  endif()
  foreach(language IN LISTS ARGN)
    string(TOLOWER "${language}" name)
    set(adapter "${adapters}/${name}_adapter.py")
    if(language STREQUAL "CUDA" OR NOT EXISTS "${adapter}")
      continue()
    endif()
    file(READ "${adapter}" description LIMIT 500)
    if(description MATCHES "\"requirements\": *.\"([a-z0-9-]+)")
      set(package "${CMAKE_MATCH_1}")
    else()
      set(package "${name}")
    endif()
    string(TOUPPER "${package}" variable)
    string(REPLACE "-" "_" variable "KERNELLOOP_${variable}_PYTHON")
    file(GLOB installed "${cache}/kernelloop/toolchains/${package}-*/bin/python")
    if(installed STREQUAL "" AND "$ENV{${variable}}" STREQUAL "")
      message(
        STATUS
        "KernelLoop: ${op}: the toolchain of ${language} is not installed; run `kernelloop toolchain "
        "install ${name}`, or set ${variable}"
      )
    endif()
  endforeach()
endfunction()
