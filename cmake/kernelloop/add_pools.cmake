# _kernelloop_add_pools()
#
# Appends our job pools to the project's own. Setting JOB_POOLS hides CMAKE_JOB_POOLS, so its pools
# are copied first. A pool that the project defines itself is left as it is.
function(_kernelloop_add_pools)
  get_property(set GLOBAL PROPERTY JOB_POOLS SET)
  if(NOT set AND NOT "${CMAKE_JOB_POOLS}" STREQUAL "")
    set_property(GLOBAL PROPERTY JOB_POOLS ${CMAKE_JOB_POOLS})
  endif()
  get_property(pools GLOBAL PROPERTY JOB_POOLS)
  # Requests to a model wait on the network; a GPU is timed by one at a time, and each step takes one
  # that is free.
  set(depth_llm 4)
  _kernelloop_count_gpus(depth_gpu)
  foreach(pool IN ITEMS llm gpu)
    string(TOUPPER ${pool} upper)
    if(NOT "${KERNELLOOP_${upper}_JOBS}" STREQUAL "")
      set(depth_${pool} "${KERNELLOOP_${upper}_JOBS}")
    endif()
    if(NOT depth_${pool} MATCHES "^[1-9][0-9]*$")
      message(
        FATAL_ERROR
        "add_kernel_op: KERNELLOOP_${upper}_JOBS is \"${depth_${pool}}\", but must be a positive "
        "integer, the depth of the job pool kernelloop_${pool}."
      )
    endif()
    if(NOT "${pools}" MATCHES "(^|;)kernelloop_${pool}=")
      set_property(GLOBAL APPEND PROPERTY JOB_POOLS kernelloop_${pool}=${depth_${pool}})
    endif()
  endforeach()
endfunction()

# _kernelloop_count_gpus(<out>)
#
# How many GPUs steps on this machine are spread over, as far as the driver and CUDA_VISIBLE_DEVICES
# tell; at least one. KERNELLOOP_DRIVER_FILES is for tests.
function(_kernelloop_count_gpus out)
  set(driver_files /proc/driver/nvidia)
  if(NOT "${KERNELLOOP_DRIVER_FILES}" STREQUAL "")
    set(driver_files "${KERNELLOOP_DRIVER_FILES}")
  endif()
  file(GLOB gpus LIST_DIRECTORIES true "${driver_files}/gpus/*")
  list(LENGTH gpus count)
  if(NOT "$ENV{CUDA_VISIBLE_DEVICES}" STREQUAL "")
    string(REPLACE "," ";" visible "$ENV{CUDA_VISIBLE_DEVICES}")
    list(LENGTH visible visible)
    if(visible LESS count)
      set(count ${visible})
    endif()
  endif()
  if(count LESS 1)
    set(count 1)
  endif()
  set(${out} ${count} PARENT_SCOPE)
endfunction()
