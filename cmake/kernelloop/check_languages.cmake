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

# _kernelloop_version_of_package(<variable> <python> <package>)
#
# The version that this Python has; "none" where there is none, or no Python. Asked once a configure run.
function(_kernelloop_version_of_package variable python package)
  get_property(known GLOBAL PROPERTY "_KERNELLOOP_VERSION_${python}_${package}")
  if(NOT known)
    execute_process(
      COMMAND
        "${python}" -s -c "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"
        "${package}"
      OUTPUT_VARIABLE known
      RESULT_VARIABLE result
      ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE
      TIMEOUT 20
    )
    if(NOT result STREQUAL "0" OR known STREQUAL "")
      set(known "none")
    endif()
    set_property(GLOBAL PROPERTY "_KERNELLOOP_VERSION_${python}_${package}" "${known}")
  endif()
  set(${variable} "${known}" PARENT_SCOPE)
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
    set(version "")
    if(description MATCHES "\"requirements\": *.\"([a-z0-9-]+)[^=\"]*(==([^\"]+))?")
      set(package "${CMAKE_MATCH_1}")
      set(version "${CMAKE_MATCH_3}")
    else()
      set(package "${name}")
    endif()
    string(TOUPPER "${package}" variable)
    string(REPLACE "-" "_" variable "KERNELLOOP_${variable}_PYTHON")
    if(NOT "$ENV{${variable}}" STREQUAL "")
      _kernelloop_version_of_package(found "$ENV{${variable}}" ${package})
      if(version AND NOT found STREQUAL version)
        message(
          STATUS
          "KernelLoop: ${op}: ${variable} names $ENV{${variable}}, which has ${package} ${found}, not the "
          "${version} that ${language} needs; name another, or unset it and run `kernelloop toolchain "
          "install ${name}`"
        )
      endif()
      continue()
    endif()
    file(GLOB installed "${cache}/kernelloop/toolchains/${package}-*/bin/python")
    if(installed STREQUAL "")
      message(
        STATUS
        "KernelLoop: ${op}: the toolchain of ${language} is not installed; run `kernelloop toolchain "
        "install ${name}`, or set ${variable}"
      )
    endif()
  endforeach()
endfunction()
