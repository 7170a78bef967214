/* kernelloop:plan
{ "launches": [
    { "kernel": "rmsnorm_rows", "grid": ["ceil_div(rows, 4)"], "block": [128],
      "args": ["x", "weight", "eps", "y", "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>

constexpr unsigned kFullMask = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(128)
rmsnorm_rows(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight, float eps,
             __nv_bfloat16* __restrict__ y, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  x += static_cast<size_t>(row) * cols;
  y += static_cast<size_t>(row) * cols;

  float sum = 0.0f;
  for (int i = lane; i < cols; i += 32) {
    const float value = __bfloat162float(x[i]);
    sum += value * value;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(kFullMask, sum, offset);

  const float scale = rsqrtf(sum / cols + eps);
  for (int i = lane; i < cols; i += 32) {
    y[i] = __float2bfloat16_rn(__bfloat162float(x[i]) * scale * __bfloat162float(weight[i]));
  }
}
