/* kernelloop:plan
{ "launches": [
    { "kernel": "dequantize", "grid": ["ceil_div(rows * cols, 256)"], "block": [256],
      "args": ["q", "scale", "y", "rows * cols", "cols"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

extern "C" __global__ void __launch_bounds__(256)
dequantize(const signed char* __restrict__ q, const float* __restrict__ scale,
           __nv_bfloat16* __restrict__ y, int64_t count, int64_t cols) {
  const int64_t i = blockIdx.x * int64_t{256} + threadIdx.x;
  if (i >= count) return;
  y[i] = __float2bfloat16_rn(static_cast<float>(q[i]) * scale[i / cols]);
}
