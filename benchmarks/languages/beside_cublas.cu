// The CUDA C++ GEMM of this directory by itself, as a shared library for beside_cublas.py: its plan's launch for large
// shapes, written out.
#include "generated/gemm_bf16/v001/kernel.cu"

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>

namespace {

// A row-major matrix of bfloat16; a copy moves 64 columns of `box_rows` rows. False: the driver refuses it.
bool encode(TensorMap& map, void* matrix, std::uint64_t cols, std::uint64_t rows, std::uint32_t box_rows,
            CUtensorMapL2promotion promotion) {
  static decltype(&cuTensorMapEncodeTiled) driver = nullptr;
  if (driver == nullptr) {
    cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&driver), 12000,
                                         cudaEnableDefault, &result) != cudaSuccess) {
      return false;
    }
  }
  const cuuint64_t dims[2] = {cols, rows};
  const cuuint64_t strides[1] = {cols * 2};
  const cuuint32_t box[2] = {64, box_rows};
  const cuuint32_t steps[2] = {1, 1};
  CUtensorMap made;
  const bool done = driver(&made, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, dims, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, promotion,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
  static_assert(sizeof made == sizeof map);
  std::memcpy(&map, &made, sizeof map);
  return done;
}

}  // namespace

// c[m, n] = a[m, k] b[n, k]^T on `stream`. k and n are multiples of 8. The error of the CUDA runtime, 0 for none.
extern "C" int run(void* a, void* b, void* c, int m, int n, int k, cudaStream_t stream) {
  TensorMap maps[3];
  if (!encode(maps[0], a, k, m, kTmaRows, CU_TENSOR_MAP_L2_PROMOTION_L2_256B) ||
      !encode(maps[1], b, k, n, kTmaCols / kCluster, CU_TENSOR_MAP_L2_PROMOTION_L2_256B) ||
      !encode(maps[2], c, n, m, 64, CU_TENSOR_MAP_L2_PROMOTION_NONE)) {
    return cudaErrorInvalidValue;
  }
  constexpr int bytes = kTmaStages * kStageBytes + 2 * kOutBoxes * kOutBytes + 1024;
  if (const cudaError_t error = cudaFuncSetAttribute(gemm_tma, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)) {
    return error;
  }
  const int rows = kCluster * kTmaRows;
  const int blocks = kCluster * ((m + rows - 1) / rows) * ((n + kTmaCols - 1) / kTmaCols);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = kCluster;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(std::min(blocks, 132));
  config.blockDim = dim3(384);
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  void* arguments[] = {&maps[0], &maps[1], &maps[2], &a, &b, &c, &m, &n, &k};
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(gemm_tma), arguments);
}
