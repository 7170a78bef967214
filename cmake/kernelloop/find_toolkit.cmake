# _kernelloop_find_toolkit()
#
# Looks for the CUDA Toolkit once per configure run; CUDA::cudart becomes visible in the whole
# project. Leaves in the global properties _KERNELLOOP_NVCC the path of nvcc ("" without one) and
# in _KERNELLOOP_TOOLKIT_PROBLEM why adopted kernels cannot be built here ("" when they can).
function(_kernelloop_find_toolkit)
  get_property(known GLOBAL PROPERTY _KERNELLOOP_NVCC SET)
  if(known)
    return()
  endif()
  set(nvcc "")
  set(problem "")
  find_package(CUDAToolkit QUIET GLOBAL)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE)
    set(nvcc "${CUDAToolkit_NVCC_EXECUTABLE}")
  endif()
  if(NOT CUDAToolkit_FOUND)
    set(
      problem
      "no CUDA Toolkit was found; install one or set CUDAToolkit_ROOT and configure again"
    )
  elseif(NOT TARGET CUDA::cudart)
    set(problem "the CUDA Toolkit has no cudart library; install it and configure again")
  endif()
  set_property(GLOBAL PROPERTY _KERNELLOOP_NVCC "${nvcc}")
  set_property(GLOBAL PROPERTY _KERNELLOOP_TOOLKIT_PROBLEM "${problem}")
endfunction()
