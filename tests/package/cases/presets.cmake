# The presets: every step of a workflow exists, and quickstart replays into a scratch copy.
file(READ "${KERNELLOOP_SOURCE_DIR}/CMakePresets.json" presets)
foreach(type IN ITEMS configure build test)
  set(${type}_names "")
  string(JSON count LENGTH "${presets}" ${type}Presets)
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON name GET "${presets}" ${type}Presets ${index} name)
    list(APPEND ${type}_names ${name})
  endforeach()
endforeach()
set(workflows "")
string(JSON count LENGTH "${presets}" workflowPresets)
math(EXPR last "${count} - 1")
foreach(index RANGE ${last})
  string(JSON name GET "${presets}" workflowPresets ${index} name)
  list(APPEND workflows ${name})
  string(JSON steps LENGTH "${presets}" workflowPresets ${index} steps)
  math(EXPR last_step "${steps} - 1")
  foreach(step RANGE ${last_step})
    string(
      JSON type
      GET "${presets}"
      workflowPresets
      ${index}
      steps
      ${step}
      type
    )
    string(
      JSON name
      GET "${presets}"
      workflowPresets
      ${index}
      steps
      ${step}
      name
    )
    if(NOT name IN_LIST ${type}_names)
      fail("a workflow names the ${type} preset ${name}, which is not there")
    endif()
  endforeach()
endforeach()
expect_equal("${workflows}" "dev;ci;gpu;asan;quickstart")

execute_process(
  COMMAND
    "${CMAKE_COMMAND}" --preset quickstart -B "${build_dir}" "-DCMAKE_CXX_COMPILER=${CXX}"
    "-DKERNELLOOP_TOOL=${fake_dir}/kernelloop"
    "-DKERNELLOOP_DEVICE_TOOL=${fake_dir}/kernelloop-device"
  WORKING_DIRECTORY "${KERNELLOOP_SOURCE_DIR}"
  OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY
)
foreach(op IN ITEMS softmax rmsnorm)
  file(READ "${build_dir}/kernelloop/${op}/config.json" config)
  foreach(
    pair
    IN
    ITEMS
      "provider=replay"
      "generated_dir=${KERNELLOOP_SOURCE_DIR}/build/quickstart/scratch/generated"
      "reports_dir=${KERNELLOOP_SOURCE_DIR}/build/quickstart/scratch/reports"
      "recordings_dir=${KERNELLOOP_SOURCE_DIR}/generated"
  )
    string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${pair}")
    string(JSON value GET "${config}" ${CMAKE_MATCH_1})
    expect_equal("${value}" "${CMAKE_MATCH_2}")
  endforeach()
endforeach()
