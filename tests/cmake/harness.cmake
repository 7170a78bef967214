# For test scripts run by `cmake -P`: a scratch project per case, builds with the stand-in tools,
# and counting of the steps that ran. Set by the caller: CASE, WORK_DIR, KERNELLOOP_SOURCE_DIR, CXX.

# CMake 4.4 renamed the warnings for authors.
set(warnings_as_errors -Werror=dev)
if(CMAKE_VERSION VERSION_GREATER_EQUAL 4.4)
  set(warnings_as_errors -Werror=author)
endif()
set(tests_dir "${CMAKE_CURRENT_LIST_DIR}")
set(fake_dir "${tests_dir}/fake_tools")
set(case_dir "${WORK_DIR}/${CASE}")
set(source_dir "${case_dir}/source")
set(build_dir "${case_dir}/build")
set(state_dir "${case_dir}/state")
set(op_dir "${build_dir}/kernelloop/softmax")
file(REMOVE_RECURSE "${case_dir}")
file(MAKE_DIRECTORY "${source_dir}" "${state_dir}")
set(ENV{KERNELLOOP_FAKE_STATE} "${state_dir}")
# What surrounds the test must not steer the builds inside it.
foreach(
  name
  IN
  ITEMS NINJA_STATUS DESTDIR CMAKE_GENERATOR CXXFLAGS KERNELLOOP_REPLAY
)
  unset(ENV{${name}})
endforeach()

# fail(<text>): ends the case; the text is printed as it is.
function(fail text)
  message(NOTICE "${text}")
  message(FATAL_ERROR "${CASE} failed")
endfunction()

# copy_project(<directory below tests/cmake>)
function(copy_project from)
  file(GLOB files "${tests_dir}/${from}/*")
  file(COPY ${files} DESTINATION "${source_dir}")
endfunction()

# configure([<argument>...]): configures the scratch project; anything on stderr is a failure.
function(configure)
  execute_process(
    COMMAND
      "${CMAKE_COMMAND}" -G Ninja -S "${source_dir}" -B "${build_dir}" ${warnings_as_errors}
      "-DCMAKE_CXX_COMPILER=${CXX}" "-DKERNELLOOP_CMAKE_DIR=${KERNELLOOP_SOURCE_DIR}/cmake"
      "-DKERNELLOOP_TOOL=${fake_dir}/kernelloop"
      "-DKERNELLOOP_DEVICE_TOOL=${fake_dir}/kernelloop-device" -DKERNELLOOP_DEVICE=cpu
      -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON ${ARGN}
    RESULT_VARIABLE result
    OUTPUT_VARIABLE output
    ERROR_VARIABLE error
  )
  if(NOT result EQUAL 0 OR NOT error STREQUAL "")
    fail("configure ended with ${result}:\n${output}${error}")
  endif()
  set(configure_output "${output}" PARENT_SCOPE)
endfunction()

# build(<argument>...): builds the targets, which must succeed. build_fails: which must not.
# Both leave what was printed in build_output.
function(build)
  _run_build(TRUE ${ARGN})
  set(build_output "${build_output}" PARENT_SCOPE)
endfunction()
function(build_fails)
  _run_build(FALSE ${ARGN})
  set(build_output "${build_output}" PARENT_SCOPE)
endfunction()
function(_run_build succeeds)
  execute_process(
    COMMAND ninja -C "${build_dir}" -d explain ${ARGN}
    RESULT_VARIABLE result
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
  )
  if((succeeds AND NOT result EQUAL 0) OR (NOT succeeds AND result EQUAL 0))
    fail("ninja ${ARGN} ended with ${result}:\n${output}")
  endif()
  set(build_output "${output}" PARENT_SCOPE)
endfunction()

# expect_steps(<line>...): exactly these steps ran since the last call, in whatever order.
function(expect_steps)
  set(steps "")
  if(EXISTS "${state_dir}/log")
    file(STRINGS "${state_dir}/log" steps)
    file(REMOVE "${state_dir}/log")
  endif()
  set(expected "${ARGN}")
  list(SORT steps)
  list(SORT expected)
  if(NOT "${steps}" STREQUAL "${expected}")
    list(JOIN steps "\n  " steps)
    list(JOIN expected "\n  " expected)
    fail("steps that ran:\n  ${steps}\nexpected:\n  ${expected}\n${build_output}")
  endif()
endfunction()

# all_steps(<out> <op> <first> <last> <word>): the steps of versions <first> to <last>, one
# candidate a round; <word> says what propose did (asked, kept).
function(
  all_steps
  out
  op
  first
  last
  word
)
  set(steps "")
  foreach(version RANGE ${first} ${last})
    list(
      APPEND steps
      "propose ${op} v00${version} ${word}"
      "compile ${op} v00${version} 90a"
      "verify ${op} v00${version}"
      "bench ${op} v00${version}"
      "learn ${op} ${version}"
    )
  endforeach()
  set(${out} "${steps}" PARENT_SCOPE)
endfunction()

# expect_no_work(<target>...): a build of them has nothing to do.
function(expect_no_work)
  build(${ARGN})
  expect_text("${build_output}" "ninja: no work to do")
  expect_steps()
endfunction()

function(expect_text text part)
  string(FIND "${text}" "${part}" position)
  if(position EQUAL -1)
    fail("expected\n  ${part}\nin\n${text}")
  endif()
endfunction()

function(expect_no_text text part)
  string(FIND "${text}" "${part}" position)
  if(NOT position EQUAL -1)
    fail("did not expect\n  ${part}\nin\n${text}")
  endif()
endfunction()

function(expect_equal actual expected)
  if(NOT "${actual}" STREQUAL "${expected}")
    fail("got\n  ${actual}\nexpected\n  ${expected}")
  endif()
endfunction()

# edit(<file> <from> <to>): replaces text, which must be there.
function(edit file from to)
  file(READ "${file}" text)
  expect_text("${text}" "${from}")
  string(REPLACE "${from}" "${to}" text "${text}")
  file(WRITE "${file}" "${text}")
endfunction()

# expect_steps_any(): forgets which steps ran; some did.
function(expect_steps_any)
  if(NOT EXISTS "${state_dir}/log")
    fail("no step ran\n${build_output}")
  endif()
  file(REMOVE "${state_dir}/log")
endfunction()

# expect_no_work_after_log(<target>...): like expect_no_work, but keeps the log so far.
function(expect_no_work_after_log)
  build(${ARGN})
  expect_text("${build_output}" "ninja: no work to do")
endfunction()
