# consume(<way> <argument>...): configures, optimises, adopts and links in a project that gets
# KernelLoop by <way>, and looks for side effects on it. For scripts that include cmake/harness.cmake.
function(consume way)
  file(REMOVE_RECURSE "${build_dir}" "${source_dir}" "${state_dir}")
  file(MAKE_DIRECTORY "${source_dir}" "${state_dir}")
  file(GLOB files "${package_tests_dir}/consumer/*")
  file(COPY ${files} DESTINATION "${source_dir}")

  # A toolkit that is nothing but a runtime library of no content: the stand-in product needs none.
  set(toolkit "${case_dir}/toolkit")
  file(
    WRITE "${toolkit}/FindCUDAToolkit.cmake"
    "if(NOT TARGET CUDA::cudart)\n  add_library(CUDA::cudart INTERFACE IMPORTED)\nendif()\n"
    "set(CUDAToolkit_FOUND TRUE)\n"
    "set(CUDAToolkit_NVCC_EXECUTABLE /toolkit/bin/nvcc)\n"
  )
  file(COPY "${toolkit}/FindCUDAToolkit.cmake" DESTINATION "${source_dir}/modules")
  set(
    common
    -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=OFF
    -DWAY=${way}
    "-DKERNELLOOP_SOURCE_DIR=${KERNELLOOP_SOURCE_DIR}"
    -DCONSUMER_APP_EXCLUDED=ON
    ${ARGN}
  )

  configure(${common})
  foreach(text IN ITEMS "changed:" "new:" "new in the cache:")
    expect_no_text("${configure_output}" "${text}")
  endforeach()
  execute_process(
    COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${build_dir}" -N
    OUTPUT_VARIABLE listing
    ERROR_VARIABLE listing
  )
  expect_no_text("${listing}" "kernelloop.softmax")

  build(all)
  expect_steps()
  if(EXISTS "${build_dir}/kernelloop-build/bin/kernelloop")
    fail("`all` of a project without tests built KernelLoop's programs")
  endif()
  build(use_pool optimize_all)
  all_steps(steps softmax 1 2 asked)
  expect_steps("spec softmax" "reference softmax" ${steps})
  expect_no_work(optimize_all all)
  if(NOT EXISTS "${source_dir}/generated/softmax/v002/kernel.cu")
    fail("the versions are not in the consumer's generated/")
  endif()
  build(adopt_softmax)
  build(app)
  execute_process(COMMAND "${build_dir}/app" OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  expect_equal("${said}" "v002\n")
  expect_steps("adopt softmax" "library softmax")

  # With testing on, the consumer has our tests and none of our own project's.
  configure(${common} -DCONSUMER_TESTING=ON)
  build(all)
  execute_process(
    COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${build_dir}"
    OUTPUT_VARIABLE listing
    COMMAND_ERROR_IS_FATAL ANY
  )
  expect_text("${listing}" "tests passed, 0 tests failed out of 12")
endfunction()
