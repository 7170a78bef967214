# cmake -D CASE=<name> -D SCRIPT=<file> -D WORK_DIR=... -D KERNELLOOP_SOURCE_DIR=... -D CXX=...
#       -P run_error_case.cmake
#
# Configures the project in errors/ with the wrong use in SCRIPT, and compares the one message with
# what the comments at the top of SCRIPT expect:
#   # expect: <text>         the message, white space apart; lines are joined; @SOURCE_DIR@ is errors/,
#                          @BUILD_DIR@ the build directory
#   # generator: <name>      default Ninja
#   # languages: <languages> default NONE; CXX where the case gets as far as creating targets
#   # argument: <argument>   one more argument of cmake
#   # build: <name>          of the build directory; default build
cmake_policy(VERSION 3.25...3.31)
include("${CMAKE_CURRENT_LIST_DIR}/harness.cmake")

set(expected "")
set(generator Ninja)
set(languages NONE)
set(arguments "")
file(STRINGS "${SCRIPT}" lines)
foreach(line IN LISTS lines)
  if(line MATCHES "^# expect: (.*)$")
    string(APPEND expected " ${CMAKE_MATCH_1}")
  elseif(line MATCHES "^# generator: (.*)$")
    set(generator "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^# languages: (.*)$")
    set(languages "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^# argument: (.*)$")
    list(APPEND arguments "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^# build: (.*)$")
    set(build_dir "${case_dir}/${CMAKE_MATCH_1}")
  endif()
endforeach()
if(expected STREQUAL "")
  fail("${SCRIPT} expects no message")
endif()
string(REPLACE "@SOURCE_DIR@" "${source_dir}" expected "${expected}")
string(REPLACE "@BUILD_DIR@" "${build_dir}" expected "${expected}")

copy_project(errors)
execute_process(
  COMMAND
    "${CMAKE_COMMAND}" -G "${generator}" -S "${source_dir}" -B "${build_dir}" ${warnings_as_errors}
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCASE_LANGUAGES=${languages}" "-DCASE_FILE=${SCRIPT}"
    "-DKERNELLOOP_CMAKE_DIR=${KERNELLOOP_SOURCE_DIR}/cmake"
    "-DKERNELLOOP_TOOL=${fake_dir}/kernelloop"
    "-DKERNELLOOP_DEVICE_TOOL=${fake_dir}/kernelloop-device" -DKERNELLOOP_DEVICE=cpu
    -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON --no-warn-unused-cli ${arguments}
  RESULT_VARIABLE result
  OUTPUT_VARIABLE output
  ERROR_VARIABLE error
)
if(result EQUAL 0)
  fail("the wrong use was accepted\n${output}${error}")
endif()
string(REGEX MATCHALL "CMake Error" errors "${error}")
list(LENGTH errors count)
if(NOT count EQUAL 1)
  fail("${count} errors instead of one\n${error}")
endif()
string(REGEX REPLACE "[ \n]+" " " text "${error}")
string(REGEX REPLACE "[ \n]+" " " expected "${expected}")
expect_text("${text}" "${expected}")
