# cmake -D STEP=verify|bench|profile|trace -D "OPS=<op>..." -D BINARY_DIR=... -D NINJA=... -P build_existing.cmake
#
# Brings <STEP>.json of every version that exists up to date, and asks no model: which versions
# exist is known only now, and the graph of a version that is missing would propose it. No OPS
# means all operators, in one run of Ninja.
cmake_policy(VERSION 3.25...3.31)
include("${CMAKE_CURRENT_LIST_DIR}/version_name.cmake")
# Written by _kernelloop_finalize: known_ops, and versions_, candidates_, generated_ of each.
include("${BINARY_DIR}/kernelloop/operators.cmake")
if("${OPS}" STREQUAL "")
  set(OPS ${known_ops})
endif()

set(targets "")
foreach(op IN LISTS OPS)
  set(missing_round 0)
  set(found FALSE)
  foreach(version RANGE 1 ${versions_${op}})
    math(EXPR round "(${version} + ${candidates_${op}} - 1) / ${candidates_${op}}")
    if(missing_round GREATER 0 AND round GREATER missing_round)
      break() # a version stands on all versions of the rounds before it
    endif()
    _kernelloop_version_name(name ${version})
    if(EXISTS "${generated_${op}}/${op}/${name}")
      list(APPEND targets "kernelloop/${op}/${name}/${STEP}.json")
      set(found TRUE)
    elseif(missing_round EQUAL 0)
      set(missing_round ${round})
    endif()
  endforeach()
  if(NOT found)
    message(STATUS "${op}: no version to ${STEP} yet; the target optimize_${op} gets the first one")
  endif()
endforeach()
if(targets STREQUAL "")
  return()
endif()
execute_process(COMMAND "${NINJA}" -C "${BINARY_DIR}" ${targets} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${STEP} stopped; the lines above say why")
endif()
