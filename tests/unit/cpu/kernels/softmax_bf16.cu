// One block per row: vectorised loads, warp shuffles, dynamic shared memory, a template.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int k_threads = 256;

template <bool maximum>
__device__ __forceinline__ float combine(float a, float b) {
  return maximum ? fmaxf(a, b) : a + b;
}

template <bool maximum>
__device__ float block_reduce(float value, float* scratch) {
  const int lane = threadIdx.x % warpSize;
  const int warp = threadIdx.x / warpSize;
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    value = combine<maximum>(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  __syncthreads();
  if (lane == 0) scratch[warp] = value;
  __syncthreads();
  value = scratch[0];
  for (int i = 1; i < k_threads / 32; ++i) value = combine<maximum>(value, scratch[i]);
  return value;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(k_threads, 2)
    softmax_rows(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int cols) {
  extern __shared__ __align__(16) unsigned char memory[];
  float* row = reinterpret_cast<float*>(memory);
  __shared__ float scratch[k_threads / 32];

  const int64_t base = static_cast<int64_t>(blockIdx.x) * cols;
  const int vectors = cols % 8 == 0 ? cols / 8 : 0;
  float largest = -INFINITY;
  for (int v = threadIdx.x; v < vectors; v += k_threads) {
    const uint4 packed = __ldg(reinterpret_cast<const uint4*>(x + base) + v);
    const __nv_bfloat162* pairs = reinterpret_cast<const __nv_bfloat162*>(&packed);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 pair = __bfloat1622float2(pairs[i]);
      row[v * 8 + 2 * i] = pair.x;
      row[v * 8 + 2 * i + 1] = pair.y;
      largest = fmaxf(largest, fmaxf(pair.x, pair.y));
    }
  }
  for (int i = vectors * 8 + threadIdx.x; i < cols; i += k_threads) {
    row[i] = __bfloat162float(x[base + i]);
    largest = fmaxf(largest, row[i]);
  }
  largest = block_reduce<true>(largest, scratch);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += k_threads) {
    row[i] = __expf(row[i] - largest);
    sum += row[i];
  }
  sum = block_reduce<false>(sum, scratch);
  const float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < cols; i += k_threads) {
    y[base + i] = __float2bfloat16(row[i] * scale);
  }
}
