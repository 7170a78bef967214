# Prints what an operator costs a build that has nothing to do.
#
#   cmake [-D "OPS=10;100;1000"] [-D VERSIONS=8] [-D WORK_DIR=<directory>] -P null_build.cmake
#
# Each line: operators, seconds of a configure run (the second, as after an edit of a
# CMakeLists.txt), seconds of a build with no work to do (the best of five), edges of the graph. The
# whole loop of every operator has been built before, with stand-in tools: what is measured are
# CMake and Ninja. That first build is the long part of a run: minutes for a thousand operators.
cmake_policy(VERSION 3.25...3.31)
cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")
if(NOT DEFINED OPS)
  set(OPS 10 100 1000)
endif()
if(NOT DEFINED VERSIONS)
  set(VERSIONS 8)
endif()
if(NOT DEFINED WORK_DIR)
  set(WORK_DIR "${CMAKE_CURRENT_BINARY_DIR}/null_build")
endif()

# seconds_of(<out> <command>...)
function(seconds_of out)
  string(TIMESTAMP before "%s%f")
  execute_process(
    COMMAND ${ARGN}
    OUTPUT_VARIABLE output
    ERROR_VARIABLE error
    RESULT_VARIABLE result
  )
  string(TIMESTAMP after "%s%f")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${result}\n${output}${error}")
  endif()
  math(EXPR microseconds "${after} - ${before}")
  set(${out} ${microseconds} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# as_seconds(<out> <microseconds>): 123456 -> 0.123
function(as_seconds out microseconds)
  math(EXPR whole "${microseconds} / 1000000")
  math(EXPR rest "${microseconds} / 1000 % 1000 + 1000")
  string(SUBSTRING ${rest} 1 3 rest)
  set(${out} "${whole}.${rest}" PARENT_SCOPE)
endfunction()

message(NOTICE "${VERSIONS} versions per operator; CMake ${CMAKE_VERSION}")
message(NOTICE "operators  configure  null build  edges")
foreach(ops IN LISTS OPS)
  set(source "${WORK_DIR}/source-${ops}")
  set(build "${WORK_DIR}/build-${ops}")
  file(REMOVE_RECURSE "${source}" "${build}")
  file(
    WRITE "${source}/CMakeLists.txt"
    "cmake_minimum_required(VERSION 3.25)
project(null_build LANGUAGES CXX)
include(\"${root}/cmake/KernelLoop.cmake\")
foreach(number RANGE 1 ${ops})
  add_kernel_op(op_\${number} SPEC op.json REFERENCE reference.cpp VERSIONS ${VERSIONS})
endforeach()
"
  )
  file(WRITE "${source}/op.json" "{}\n")
  file(WRITE "${source}/reference.cpp" "extern \"C\" int reference() { return 1; }\n")
  set(
    configure
    "${CMAKE_COMMAND}"
    -G
    Ninja
    -S
    "${source}"
    -B
    "${build}"
    "-DKERNELLOOP_TOOL=${CMAKE_CURRENT_LIST_DIR}/stand_in.sh"
    "-DKERNELLOOP_DEVICE_TOOL=${CMAKE_CURRENT_LIST_DIR}/stand_in.sh"
    -DKERNELLOOP_DEVICE=cpu
  )
  seconds_of(ignored ${configure})
  seconds_of(configured ${configure})
  seconds_of(ignored ninja -C "${build}" optimize_all)
  set(best "")
  foreach(repeat RANGE 1 5)
    seconds_of(taken ninja -C "${build}" optimize_all)
    if(NOT output MATCHES "no work to do")
      message(FATAL_ERROR "the build had work to do:\n${output}")
    endif()
    if(best STREQUAL "" OR taken LESS best)
      set(best ${taken})
    endif()
  endforeach()
  file(STRINGS "${build}/build.ninja" edges REGEX "^build kernelloop/")
  list(LENGTH edges edges)
  as_seconds(configured ${configured})
  as_seconds(best ${best})
  set(line "")
  foreach(cell IN ITEMS "9=${ops}" "9=${configured}" "10=${best}" "5=${edges}")
    string(REGEX MATCH "^([0-9]+)=(.*)$" matched "${cell}")
    set(text "${CMAKE_MATCH_2}")
    string(LENGTH "${text}" length)
    math(EXPR gap "${CMAKE_MATCH_1} - ${length}")
    if(gap GREATER 0)
      string(REPEAT " " ${gap} gap)
      set(text "${gap}${text}")
    endif()
    string(APPEND line "${text}  ")
  endforeach()
  string(STRIP "${line}" line)
  message(NOTICE "${line}")
endforeach()
