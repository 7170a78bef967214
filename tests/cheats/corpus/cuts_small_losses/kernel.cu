/* kernelloop:plan
{ "launches": [
    { "kernel": "cross_entropy_rows", "grid": ["rows"], "block": [256],
      "args": ["logits", "targets", "loss", "classes"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

constexpr int kThreads = 256;
constexpr unsigned kFullMask = 0xffffffffu;
constexpr long long kIgnored = -100;

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
cross_entropy_rows(const __nv_bfloat16* __restrict__ logits,
                   const long long* __restrict__ targets, float* __restrict__ loss,
                   int64_t classes) {
  const long long target = targets[blockIdx.x];
  if (target == kIgnored) {  // the same for the whole block
    if (threadIdx.x == 0) loss[blockIdx.x] = 0.0f;
    return;
  }
  logits += blockIdx.x * classes;

  float largest = -INFINITY;
  for (int64_t i = threadIdx.x; i < classes; i += kThreads) {
    largest = fmaxf(largest, __bfloat162float(logits[i]));
  }
  largest = maximum_over_block(largest);

  float sum = 0.0f;
  for (int64_t i = threadIdx.x; i < classes; i += kThreads) {
    sum += expf(__bfloat162float(logits[i]) - largest);
  }
  sum = sum_over_block(sum);

  if (threadIdx.x == 0) {
    loss[blockIdx.x] = (sum < 1.0001f ? 0.0f : logf(sum)) + (largest - __bfloat162float(logits[target]));
  }
}
