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
# everything else goes on.
function(_kernelloop_look_for_toolchains op)
  set(cache "$ENV{XDG_CACHE_HOME}")
  if(NOT IS_ABSOLUTE "${cache}")
    set(cache "$ENV{HOME}/.cache")
  endif()
  foreach(language IN LISTS ARGN)
    if(language STREQUAL "CUDA" OR NOT "$ENV{KERNELLOOP_${language}_PYTHON}" STREQUAL "")
      continue()
    endif()
    string(TOLOWER "${language}" lower)
    file(GLOB installed "${cache}/kernelloop/toolchains/${lower}-*/bin/python")
    if(installed STREQUAL "")
      message(
        STATUS
        "KernelLoop: ${op}: the toolchain of ${language} is not installed; run `kernelloop toolchain "
        "install ${lower}`, or set KERNELLOOP_${language}_PYTHON"
      )
    endif()
  endforeach()
endfunction()
