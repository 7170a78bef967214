# Our pools are appended to the project's own, whichever way and however late it names them.
copy_project(graph/project)
function(pools out)
  execute_process(
    COMMAND ninja -C "${build_dir}" -t query optimize_softmax
    OUTPUT_QUIET
    COMMAND_ERROR_IS_FATAL ANY
  )
  file(STRINGS "${build_dir}/CMakeFiles/rules.ninja" rules)
  file(STRINGS "${build_dir}/build.ninja" lines)
  set(found "")
  foreach(line IN LISTS rules lines)
    if(line MATCHES "^pool ([a-z_]+)")
      set(name "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^  depth = ([0-9]+)")
      list(APPEND found "${name}=${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(SORT found)
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
set(
  users
  "add_custom_command(OUTPUT made COMMAND \${CMAKE_COMMAND} -E touch made JOB_POOL user_pool)
add_custom_target(uses DEPENDS made)\n"
)
file(WRITE "${source_dir}/extra.cmake" "${users}set(CMAKE_JOB_POOLS user_pool=3)\n")
configure(-DKERNELLOOP_VERSIONS=1)
pools(found)
expect_equal("${found}" "kernelloop_gpu=1;kernelloop_llm=4;user_pool=3")
build(uses optimize_all)

file(
  WRITE "${source_dir}/extra.cmake"
  "${users}set_property(GLOBAL APPEND PROPERTY JOB_POOLS user_pool=5 kernelloop_gpu=2)\n"
)
configure(-DKERNELLOOP_VERSIONS=1 -DKERNELLOOP_LLM_JOBS=7)
pools(found)
expect_equal("${found}" "kernelloop_gpu=2;kernelloop_llm=7;user_pool=5")
build(uses optimize_all)

# Steps are spread over the GPUs of the host, as many as the driver and the user show.
set(ENV{CUDA_VISIBLE_DEVICES} "")
foreach(gpu IN ITEMS 0000:1b:00.0 0000:43:00.0 0000:61:00.0)
  file(WRITE "${work_dir}/driver/gpus/${gpu}/information" "Model: A GPU\n")
endforeach()
file(WRITE "${source_dir}/extra.cmake" "")
configure(-DKERNELLOOP_VERSIONS=1 "-DKERNELLOOP_DRIVER_FILES=${work_dir}/driver")
pools(found)
expect_equal("${found}" "kernelloop_gpu=3;kernelloop_llm=7")
set(ENV{CUDA_VISIBLE_DEVICES} "GPU-1,GPU-2")
configure()
pools(found)
expect_equal("${found}" "kernelloop_gpu=2;kernelloop_llm=7")
configure(-DKERNELLOOP_GPU_JOBS=5)
pools(found)
expect_equal("${found}" "kernelloop_gpu=5;kernelloop_llm=7")
