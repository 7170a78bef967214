# The gate as CTest sees it: names, labels, properties, what they run; and nothing where the
# project enables no testing.
copy_project(graph/project)
file(WRITE "${source_dir}/options.cmake" "set(KERNELLOOP_LABELS nightly)\n")
configure(-DKERNELLOOP_VERSIONS=1 -DKERNELLOOP_TEST_TIMEOUT=99)

# properties_of(<name>): sets command, and one variable per property.
function(properties_of name)
  execute_process(
    COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${build_dir}" --show-only=json-v1
    OUTPUT_VARIABLE listing
    COMMAND_ERROR_IS_FATAL ANY
  )
  string(JSON count LENGTH "${listing}" tests)
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON found GET "${listing}" tests ${index} name)
    if(found STREQUAL name)
      string(JSON command GET "${listing}" tests ${index} command)
      set(command "${command}" PARENT_SCOPE)
      string(JSON properties GET "${listing}" tests ${index} properties)
      string(JSON count LENGTH "${properties}")
      math(EXPR last "${count} - 1")
      foreach(position RANGE ${last})
        string(JSON key GET "${properties}" ${position} name)
        string(JSON value GET "${properties}" ${position} value)
        string(REGEX REPLACE "[][\" \n]+" "" value "${value}")
        string(REPLACE "," ";" value "${value}")
        list(SORT value)
        set(${key} "${value}" PARENT_SCOPE)
      endforeach()
      return()
    endif()
  endforeach()
  fail("there is no test ${name} in\n${listing}")
endfunction()

foreach(
  rung
  IN
  ITEMS build smoke shapes values exact memory determinism workload holdout
)
  properties_of(kernelloop.softmax.${rung})
  set(
    labels
    kernelloop
    softmax
    ${rung}
    cpu
    nightly
  )
  list(SORT labels)
  expect_equal("${LABELS}" "${labels}")
  expect_equal("${SKIP_RETURN_CODE}/${TIMEOUT}" "77/99.0")
  if(NOT rung STREQUAL "build")
    expect_equal("${DEPENDS}" "kernelloop.softmax.build")
  endif()
  string(JSON words LENGTH "${command}")
  expect_equal("${words}" 10)
  foreach(
    pair
    IN
    ITEMS
      1=check
      2=--config
      "3=${op_dir}/config.json"
      4=--rung
      5=${rung}
      6=--verification-rules
      8=--measurement-rules
  )
    string(REGEX MATCH "^([0-9])=(.*)$" matched "${pair}")
    string(JSON word GET "${command}" ${CMAKE_MATCH_1})
    expect_equal("${word}" "${CMAKE_MATCH_2}")
  endforeach()
endforeach()
properties_of(kernelloop.softmax.provenance)
expect_equal("${LABELS}" "cpu;kernelloop;nightly;provenance;softmax")
properties_of(kernelloop.softmax.oracle)
expect_equal("${LABELS}" "cpu;kernelloop;nightly;oracle;softmax")
properties_of(kernelloop.softmax.performance)
expect_equal("${LABELS}" "cpu;kernelloop;nightly;performance;softmax")
expect_equal("${RUN_SERIAL}" "ON")

# `all` builds what they need; without an adopted version they are skipped, never proposed.
build(all)
execute_process(
  COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${build_dir}"
  OUTPUT_VARIABLE output
  COMMAND_ERROR_IS_FATAL ANY
)
expect_text("${output}" "100% tests passed, 0 tests failed out of 12")
expect_text("${output}" "***Skipped")
expect_steps(
  "check softmax build"
  "check softmax smoke"
  "check softmax shapes"
  "check softmax values"
  "check softmax exact"
  "check softmax memory"
  "check softmax determinism"
  "check softmax holdout"
  "check softmax workload"
  "check softmax performance"
  "provenance softmax"
  "oracle softmax"
)
if(NOT EXISTS "${op_dir}/reference.so")
  fail("`all` did not build the reference that the tests load")
endif()

configure(-DKERNELLOOP_DEVICE=cuda -DKERNELLOOP_GPU_SLOTS=4)
properties_of(kernelloop.softmax.smoke)
expect_equal("${LABELS}" "gpu;kernelloop;nightly;smoke;softmax")
expect_text("${RESOURCE_GROUPS}" "slots:1")
properties_of(kernelloop.softmax.sanitizer)
expect_equal("${LABELS}" "gpu;kernelloop;nightly;sanitizer;softmax")
properties_of(kernelloop.softmax.performance)
expect_text("${RESOURCE_GROUPS}" "slots:4")

set(build_dir "${case_dir}/build-without-tests")
configure(-DBUILD_TESTING=OFF)
execute_process(
  COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${build_dir}" -N
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output
)
expect_no_text("${output}" "kernelloop.softmax")
