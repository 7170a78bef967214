/* kernelloop:plan
{ "launches": [
    { "kernel": "norm_rows", "grid": ["rows"], "block": [32],
      "args": ["x", "weight", "bias", "eps", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

// Reads a row once for its mean and variance: each lane follows both as elements come (Welford), and
// lanes are joined in pairs (Chan).
extern "C" __global__ void norm_rows(const __nv_bfloat16* x, const __nv_bfloat16* weight, const __nv_bfloat16* bias,
                                     float eps, __nv_bfloat16* y, int cols) {
  const __nv_bfloat16* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float count = 0.0f;
  float mean = 0.0f;
  float squares = 0.0f;  // of the distances from the mean
  for (int i = threadIdx.x; i < cols; i += 32) {
    const float value = __bfloat162float(in[i]);
    count += 1.0f;
    const float distance = value - mean;
    mean += distance / count;
    squares += distance * (value - mean);
  }
  for (int lane = 16; lane > 0; lane /= 2) {
    const float other_count = __shfl_xor_sync(0xFFFFFFFFu, count, lane);
    const float other_mean = __shfl_xor_sync(0xFFFFFFFFu, mean, lane);
    squares += __shfl_xor_sync(0xFFFFFFFFu, squares, lane);
    const float all = count + other_count;
    if (all == 0.0f) continue;
    const float distance = other_mean - mean;
    squares += distance * distance * (count * other_count / all);
    // The same bits in both lanes.
    mean = (count * mean + other_count * other_mean) / all;
    count = all;
  }
  const float variance = squares / static_cast<float>(cols);
  const float factor = rsqrtf(variance + eps);
  for (int i = threadIdx.x; i < cols; i += 32) {
    const float result = (__bfloat162float(in[i]) - mean) * factor * __bfloat162float(weight[i]) + __bfloat162float(bias[i]);
    y[static_cast<size_t>(blockIdx.x) * cols + i] = __float2bfloat16(result);
  }
}
