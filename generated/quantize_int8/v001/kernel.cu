/* kernelloop:plan
{ "launches": [
    { "kernel": "quantize_rows", "grid": ["rows"], "block": [256], "args": ["x", "q", "scale", "cols"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

constexpr int kThreads = 256;
constexpr unsigned kFullMask = 0xffffffffu;

// Every thread gets the maximum over the block.
__device__ float maximum_over_block(float value) {
  __shared__ float partial[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kFullMask, value, offset));
  }
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[0];
  for (int warp = 1; warp < kThreads / 32; ++warp) value = fmaxf(value, partial[warp]);
  __syncthreads();  // before the next call writes
  return value;
}

extern "C" __global__ void __launch_bounds__(kThreads)
quantize_rows(const __nv_bfloat16* __restrict__ x, signed char* __restrict__ q,
              float* __restrict__ scale, int64_t cols) {
  x += blockIdx.x * cols;
  q += blockIdx.x * cols;
  float largest = 0.0f;
  for (int64_t i = threadIdx.x; i < cols; i += kThreads) {
    largest = fmaxf(largest, fabsf(__bfloat162float(x[i])));
  }
  largest = maximum_over_block(largest);
  if (threadIdx.x == 0) scale[blockIdx.x] = largest / 127.0f;

  const float shrink = largest > 0x1p100f ? 0x1p-20f : 1.0f;
  for (int64_t i = threadIdx.x; i < cols; i += kThreads) {
    const float value = 127.0f * (__bfloat162float(x[i]) * shrink);
    q[i] = largest > 0.0f ? static_cast<signed char>(rintf(value / (largest * shrink))) : 0;
  }
}
