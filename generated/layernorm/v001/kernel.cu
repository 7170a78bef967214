/* kernelloop:plan
{ "launches": [
    { "kernel": "layernorm_rows", "grid": ["rows"], "block": [256],
      "args": ["x", "weight", "bias", "eps", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

constexpr int kThreads = 256;
constexpr unsigned kFullMask = 0xffffffffu;

// Every thread gets the sum over the block.
__device__ float sum_over_block(float value) {
  __shared__ float partial[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kFullMask, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0.0f;
  for (int warp = 0; warp < kThreads / 32; ++warp) value += partial[warp];
  __syncthreads();  // before the next call writes
  return value;
}

extern "C" __global__ void __launch_bounds__(kThreads)
layernorm_rows(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
               const __nv_bfloat16* __restrict__ bias, float eps, __nv_bfloat16* __restrict__ y,
               int64_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float count = static_cast<float>(cols);

  float sum = 0.0f;
  for (int64_t i = threadIdx.x; i < cols; i += kThreads) sum += __bfloat162float(x[i]);
  const float mean = sum_over_block(sum) / count;

  float squares = 0.0f;
  for (int64_t i = threadIdx.x; i < cols; i += kThreads) {
    const float centred = __bfloat162float(x[i]) - mean;
    squares += centred * centred;
  }
  const float scale = 1.0f / sqrtf(sum_over_block(squares) / count + eps);

  for (int64_t i = threadIdx.x; i < cols; i += kThreads) {
    const float normalised = (__bfloat162float(x[i]) - mean) * scale;
    y[i] =
        __float2bfloat16_rn(normalised * __bfloat162float(weight[i]) + __bfloat162float(bias[i]));
  }
}
