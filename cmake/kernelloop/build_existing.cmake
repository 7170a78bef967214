# cmake -D OP=... -D STEP=verify|bench ... -P build_existing.cmake
#
# Brings <STEP>.json of every version that exists up to date, and asks no model: which versions
# exist is known only now, and the graph of a version that is missing would propose it.
set(missing_round 0)
set(targets "")
foreach(version RANGE 1 ${VERSIONS})
  if(version LESS 10)
    set(name "v00${version}")
  elseif(version LESS 100)
    set(name "v0${version}")
  else()
    set(name "v${version}")
  endif()
  math(EXPR round "(${version} + ${CANDIDATES} - 1) / ${CANDIDATES}")
  if(missing_round GREATER 0 AND round GREATER missing_round)
    break() # a version stands on all versions of the rounds before it
  endif()
  if(EXISTS "${GENERATED_DIR}/${OP}/${name}")
    cmake_path(RELATIVE_PATH BUILD_DIR BASE_DIRECTORY "${BINARY_DIR}" OUTPUT_VARIABLE directory)
    list(APPEND targets "${directory}/${name}/${STEP}.json")
  elseif(missing_round EQUAL 0)
    set(missing_round ${round})
  endif()
endforeach()
if(targets STREQUAL "")
  message(
    STATUS
    "${OP}: no version to ${STEP} yet; the target optimize_${OP} has the first one written"
  )
  return()
endif()
execute_process(COMMAND "${NINJA}" -C "${BINARY_DIR}" ${targets} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${OP}: ${STEP} stopped; the lines above say why")
endif()
