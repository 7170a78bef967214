// The CUDA driver's functions, found at run time: the program starts on machines without a driver.
#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>

// The argument is expanded first, so that the names get the version suffixes of cuda.h.
#define KERNELLOOP_CUDA_FUNCTIONS(X) \
  X(cuInit)                          \
  X(cuDriverGetVersion)              \
  X(cuGetErrorName)                  \
  X(cuGetErrorString)                \
  X(cuDeviceGet)                     \
  X(cuDeviceGetCount)                \
  X(cuDeviceGetName)                 \
  X(cuDeviceGetUuid)                 \
  X(cuDeviceGetAttribute)            \
  X(cuDeviceTotalMem)                \
  X(cuDevicePrimaryCtxRetain)        \
  X(cuDevicePrimaryCtxRelease)       \
  X(cuCtxSetCurrent)                 \
  X(cuCtxResetPersistingL2Cache)     \
  X(cuLibraryLoadData)               \
  X(cuLibraryUnload)                 \
  X(cuLibraryGetKernel)              \
  X(cuLibraryGetGlobal)              \
  X(cuKernelGetAttribute)            \
  X(cuKernelSetAttribute)            \
  X(cuLaunchKernelEx)                \
  X(cuStreamCreate)                  \
  X(cuStreamDestroy)                 \
  X(cuStreamSynchronize)             \
  X(cuEventCreate)                   \
  X(cuEventDestroy)                  \
  X(cuEventRecord)                   \
  X(cuEventSynchronize)              \
  X(cuEventElapsedTime)              \
  X(cuMemAddressReserve)             \
  X(cuMemAddressFree)                \
  X(cuMemCreate)                     \
  X(cuMemRelease)                    \
  X(cuMemMap)                        \
  X(cuMemUnmap)                      \
  X(cuMemSetAccess)                  \
  X(cuMemGetAllocationGranularity)   \
  X(cuMemGetInfo)                    \
  X(cuMemAlloc)                      \
  X(cuMemFree)                       \
  X(cuMemHostAlloc)                  \
  X(cuMemFreeHost)                   \
  X(cuMemHostGetDevicePointer)       \
  X(cuMemcpyHtoDAsync)               \
  X(cuMemcpyDtoHAsync)               \
  X(cuMemcpyDtoDAsync)               \
  X(cuMemsetD8Async)                 \
  X(cuTensorMapEncodeTiled)          \
  X(cuStreamBeginCapture)            \
  X(cuStreamEndCapture)              \
  X(cuGraphInstantiateWithFlags)     \
  X(cuGraphDestroy)                  \
  X(cuGraphExecDestroy)              \
  X(cuGraphUpload)                   \
  X(cuGraphLaunch)

namespace kernelloop {

// Drivers and toolkits from CUDA 12.4 on can tell the sizes of a kernel's parameters.
using CudaParameterInfo = CUresult (*)(CUkernel, std::size_t, std::size_t*, std::size_t*);

struct CudaDriver {
#define KERNELLOOP_CUDA_MEMBER(name) decltype(&::name) name = nullptr;
  KERNELLOOP_CUDA_FUNCTIONS(KERNELLOOP_CUDA_MEMBER)
#undef KERNELLOOP_CUDA_MEMBER
  CudaParameterInfo parameter_info = nullptr;  // nullptr: not to be had

  // Loads libcuda.so.1 and initialises it. Throws Error(environment) with the reason when there is
  // no driver, it is too old, or it finds no GPU.
  static CudaDriver load();

  // "CUDA_ERROR_INVALID_VALUE (invalid argument)".
  [[nodiscard]] std::string name_of(CUresult code) const;

  // Throws CudaFailure when `code` is not CUDA_SUCCESS.
  void check(CUresult code, const char* what) const;
};

// A call of ours that failed. After a candidate's launch this may be the candidate's doing.
class CudaFailure : public std::runtime_error {
 public:
  CudaFailure(CUresult code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  [[nodiscard]] CUresult code() const noexcept { return code_; }

 private:
  CUresult code_;
};

}  // namespace kernelloop
