/* kernelloop:plan
{ "launches": [
    { "kernel": "gemm_bf16_tiles", "grid": ["ceil_div(m, 16) * ceil_div(n, 16)"], "block": [16, 16],
      "args": ["a", "b", "c", "m", "n", "k"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

constexpr int kTile = 16;
constexpr int kThreads = kTile * kTile;

extern "C" __global__ void __launch_bounds__(kThreads)
gemm_bf16_tiles(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
                __nv_bfloat16* __restrict__ c, int64_t m, int64_t n, int64_t k) {
  __shared__ float left[kTile][kTile + 1];   // [row of c][term]
  __shared__ float right[kTile][kTile + 1];  // [column of c][term]
  const int64_t tiles_across = (n + kTile - 1) / kTile;
  const int64_t first_row = blockIdx.x / tiles_across * kTile;
  const int64_t first_col = blockIdx.x % tiles_across * kTile;
  const int64_t row = first_row + threadIdx.y;
  const int64_t col = first_col + threadIdx.x;
  float sum = 0.0f;
  for (int64_t start = 0; start < k; start += kTile) {
    // Terms beyond the end are zeros, which add nothing.
    const int64_t l = start + threadIdx.x;
    left[threadIdx.y][threadIdx.x] = row < m && l < k ? __bfloat162float(a[row * k + l]) : 0.0f;
    const int64_t other = first_col + threadIdx.y;
    right[threadIdx.y][threadIdx.x] =
        other < n && l < k ? __bfloat162float(b[other * k + l]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[threadIdx.x][i];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = __float2bfloat16_rn(sum);
}
