/* kernelloop:plan
{ "launches": [
    { "kernel": "softmax_rows", "grid": ["rows"], "block": [256], "args": ["x", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

constexpr int kThreads = 256;
constexpr unsigned kFullMask = 0xffffffffu;

struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Every thread gets the reduction over the block.
template <typename Operation>
__device__ float reduce_over_block(float value, float identity, Operation operation) {
  __shared__ float partial[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) {
    value = operation(value, __shfl_xor_sync(kFullMask, value, offset));
  }
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = identity;
  for (int warp = 0; warp < kThreads / 32; ++warp) value = operation(value, partial[warp]);
  __syncthreads();
  return value;
}

extern "C" __global__ void __launch_bounds__(kThreads)
softmax_rows(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int cols) {
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  x += row;
  y += row;

  float largest = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    largest = fmaxf(largest, __bfloat162float(x[i]));
  }
  largest = reduce_over_block(largest, -INFINITY, Maximum());

  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    sum += __expf(__bfloat162float(x[i]) - largest);
  }
  sum = reduce_over_block(sum, 0.0f, Sum());

  const float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    y[i] = __float2bfloat16_rn(__expf(__bfloat162float(x[i]) - largest) * scale);
  }
}
