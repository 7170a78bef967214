// Encodes tensor maps by the driver's function, which the CUDA runtime finds: nothing else is
// linked. C++17; needs the toolkit's headers.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <kernelloop/tensor_map.hpp>

#include <atomic>

namespace kernelloop::detail {

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

// `begin` is the device address of the tensor or workspace. Numbers that do not fit the driver's
// types are its CUDA_ERROR_INVALID_VALUE too.
inline CUresult encode(EncodeTiled function, const TensorMapNumbers& map, void* begin,
                       CUtensorMap& encoded) noexcept {
  cuuint64_t dims[k_most_map_dimensions]{};
  cuuint64_t strides[k_most_map_dimensions]{};
  cuuint32_t box[k_most_map_dimensions]{};
  cuuint32_t steps[k_most_map_dimensions]{};
  for (int i = 0; i < map.rank; ++i) {
    const bool in_range = map.dims[i] > 0 && map.box[i] > 0 && map.box[i] <= 256 &&
                          map.element_strides[i] > 0 && map.element_strides[i] <= 256;
    if (!in_range) return CUDA_ERROR_INVALID_VALUE;
    dims[i] = static_cast<cuuint64_t>(map.dims[i]);
    box[i] = static_cast<cuuint32_t>(map.box[i]);
    steps[i] = static_cast<cuuint32_t>(map.element_strides[i]);
    if (i > 0) strides[i - 1] = static_cast<cuuint64_t>(map.stride_bytes[i - 1]);
  }
  return function(&encoded, static_cast<CUtensorMapDataType>(map.type),
                  static_cast<cuuint32_t>(map.rank), static_cast<char*>(begin) + map.offset_bytes,
                  dims, strides, box, steps, static_cast<CUtensorMapInterleave>(map.interleave),
                  static_cast<CUtensorMapSwizzle>(map.swizzle),
                  static_cast<CUtensorMapL2promotion>(map.l2_promotion),
                  static_cast<CUtensorMapFloatOOBfill>(map.oob_fill));
}

// The driver's function, looked up at the first use in the process. Must have static storage
// duration. Safe to use from any thread.
class TensorMapEncoder {
 public:
  // cudaErrorInvalidValue when the map leaves the `available` bytes behind `begin`, or the driver
  // does not take it.
  cudaError_t encode(const TensorMapNumbers& map, std::int64_t element_size, const void* begin,
                     std::int64_t available, CUtensorMap& encoded) noexcept {
    const std::int64_t end = map_end(map, element_size);
    if (end < 0 || end > available) return cudaErrorInvalidValue;
    EncodeTiled function = function_.load(std::memory_order_relaxed);
    if (function == nullptr) {
      const cudaError_t status = find(function);
      if (status != cudaSuccess) return status;
      function_.store(function, std::memory_order_relaxed);  // every thread finds the same
    }
    // The driver takes the address as writable, as kernels may store through the map.
    return detail::encode(function, map, const_cast<void*>(begin), encoded) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidValue;
  }

 private:
  static cudaError_t find(EncodeTiled& function) noexcept {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                                                12000, cudaEnableDefault, &result);
#else
    const cudaError_t status =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result);
#endif
    if (status != cudaSuccess) return status;
    if (result != cudaDriverEntryPointSuccess || found == nullptr) return cudaErrorNotSupported;
    function = reinterpret_cast<EncodeTiled>(found);
    return cudaSuccess;
  }

  std::atomic<EncodeTiled> function_{nullptr};
};

}  // namespace kernelloop::detail
