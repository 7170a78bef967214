# SIGINT and kill -9 at each step: the next build goes on where it was, and asks nothing twice.
copy_project(graph/project)
set(
  steps
  propose
  proposed
  compile
  verify
  bench
  learn
)
set(position 0)
foreach(signal IN ITEMS INT KILL)
  foreach(step IN LISTS steps)
    file(REMOVE_RECURSE "${build_dir}" "${source_dir}/generated")
    configure(-DKERNELLOOP_VERSIONS=2)
    file(TOUCH "${state_dir}/hold_${step}_v002")
    execute_process(
      COMMAND sh "${tests_dir}/kill_build.sh" ${signal} "${state_dir}" "${build_dir}" optimize_all
      RESULT_VARIABLE result
      OUTPUT_VARIABLE build_output
      ERROR_VARIABLE build_output
    )
    if(NOT result EQUAL 0)
      fail("${signal} at ${step}: the build could not be ended there\n${build_output}")
    endif()
    file(REMOVE "${state_dir}/hold_${step}_v002" "${state_dir}/reached")
    build(optimize_all)
    expect_no_work_after_log(optimize_all)
    file(STRINGS "${state_dir}/log" log)
    file(REMOVE "${state_dir}/log")
    foreach(version IN ITEMS v001 v002)
      set(asked ${log})
      list(FILTER asked INCLUDE REGEX "^propose softmax ${version} asked$")
      list(LENGTH asked count)
      expect_equal(
        "${signal} at ${step}: ${version} asked ${count}"
        "${signal} at ${step}: ${version} asked 1"
      )
    endforeach()
    # v001 was done before the signal: each of its steps ran once.
    foreach(line IN ITEMS "compile softmax v001 90a" "verify softmax v001" "learn softmax 1")
      set(runs ${log})
      list(FILTER runs INCLUDE REGEX "^${line}$")
      list(LENGTH runs count)
      expect_equal("${signal} at ${step}: ${line}: ${count}" "${signal} at ${step}: ${line}: 1")
    endforeach()
  endforeach()
endforeach()
