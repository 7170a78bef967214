/* kernelloop:plan
{ "launches": [
    { "kernel": "norm_rows", "grid": ["rows"], "block": [32],
      "args": ["x", "weight", "bias", "eps", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

__device__ float sum_of_warp(float value) {
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, lane);
  return value;
}

// Reads a row once for its mean and variance, which is the mean square less the squared mean.
extern "C" __global__ void norm_rows(const __nv_bfloat16* x, const __nv_bfloat16* weight, const __nv_bfloat16* bias,
                                     float eps, __nv_bfloat16* y, int cols) {
  const __nv_bfloat16* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float sum = 0.0f;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 32) {
    const float value = __bfloat162float(in[i]);
    sum += value;
    squares += value * value;
  }
  const float mean = sum_of_warp(sum) / static_cast<float>(cols);
  float variance = sum_of_warp(squares) / static_cast<float>(cols) - mean * mean;
  if (variance < 0.0f) variance = 0.0f;
  const float factor = rsqrtf(variance + eps);
  for (int i = threadIdx.x; i < cols; i += 32) {
    const float result = (__bfloat162float(in[i]) - mean) * factor * __bfloat162float(weight[i]) + __bfloat162float(bias[i]);
    y[static_cast<size_t>(blockIdx.x) * cols + i] = __float2bfloat16(result);
  }
}
