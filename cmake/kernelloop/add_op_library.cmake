# _kernelloop_add_op_library(<op> <directory> <tool>)
#
# The library <op> = kernelloop::<op>: the adopted version's cubin with a typed launcher, built by
# the user's compiler. It is built when something links it, and says what is missing otherwise
# than by a failed configure: no adopted version, no toolkit, no nvcc.
function(_kernelloop_add_op_library op directory tool)
  get_property(problem GLOBAL PROPERTY _KERNELLOOP_TOOLKIT_PROBLEM)
  get_property(nvcc GLOBAL PROPERTY _KERNELLOOP_NVCC)
  if(NOT "${KERNELLOOP_NVCC}" STREQUAL "")
    set(nvcc "${KERNELLOOP_NVCC}")
  endif()
  if("${problem}" STREQUAL "" AND "${nvcc}" STREQUAL "")
    set(problem "no nvcc was found; install it or set KERNELLOOP_NVCC and configure again")
  endif()

  set(output "${directory}/library")
  if("${problem}" STREQUAL "")
    add_custom_command(
      OUTPUT "${output}/${op}.cpp" "${output}/${op}.h"
      COMMAND
        "${tool}" library --config "${directory}/config.json" --output-dir "${output}" --depfile
        "${output}/${op}.d"
      # adopted.json need not exist yet, so it can only be named by a depfile.
      DEPFILE "${output}/${op}.d"
      COMMENT "${op}: library of the adopted version"
      VERBATIM
    )
  else()
    add_custom_command(
      OUTPUT "${output}/${op}.cpp" "${output}/${op}.h"
      COMMAND "${CMAKE_COMMAND}" -E echo "kernelloop::${op} cannot be built: ${problem}."
      COMMAND "${CMAKE_COMMAND}" -E false
      COMMENT "${op}: library of the adopted version"
      VERBATIM
    )
  endif()
  add_library(${op} STATIC EXCLUDE_FROM_ALL "${output}/${op}.cpp" "${output}/${op}.h")
  add_library(kernelloop::${op} ALIAS ${op})
  target_include_directories(${op} PUBLIC "$<BUILD_INTERFACE:${output}>")
  # kernelloop/launcher.hpp, for the generated source alone.
  get_target_property(headers KernelLoop::headers INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(${op} SYSTEM PRIVATE "${headers}")
  target_compile_features(${op} PUBLIC cxx_std_17)
  set_target_properties(
    ${op}
    PROPERTIES
      POSITION_INDEPENDENT_CODE ON # so that shared libraries can link it
      KERNELLOOP_NVCC "${nvcc}"
  )
  if("${problem}" STREQUAL "")
    target_link_libraries(${op} PUBLIC CUDA::cudart)
  endif()
endfunction()
