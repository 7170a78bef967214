/* kernelloop:plan
{ "launches": [
    { "kernel": "cumsum_rows", "grid": ["rows"], "block": [256], "args": ["x", "y", "cols"] } ] }
*/
#include <cstdint>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kFullMask = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(kThreads)
cumsum_rows(const float* __restrict__ x, float* __restrict__ y, int64_t cols) {
  __shared__ float totals[kWarps];
  const int lane = threadIdx.x % 32;
  const int own_warp = threadIdx.x / 32;
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float carry = 0.0f;
  for (int64_t start = 0; start < cols; start += kThreads) {
    const int64_t i = start + threadIdx.x;
    float sum = i < cols ? x[i] : 0.0f;
    for (int offset = 1; offset < 32; offset *= 2) {
      const float left = __shfl_up_sync(kFullMask, sum, offset);
      if (lane >= offset) sum += left;
    }
    if (lane == 31) totals[own_warp] = sum;
    __syncthreads();
    for (int warp = 0; warp < kWarps; ++warp) {
      if (warp == own_warp && i < cols) y[i] = carry + sum;
      carry += totals[warp];
    }
    __syncthreads();  // before the next tile writes its totals
  }
}
