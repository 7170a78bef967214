/* kernelloop:plan
{ "launches": [
    { "kernel": "swiglu", "grid": ["ceil_div(rows * cols, 256)"], "block": [256],
      "args": ["gate", "up", "y", "rows * cols"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

extern "C" __global__ void __launch_bounds__(256)
swiglu(const __nv_bfloat16* __restrict__ gate, const __nv_bfloat16* __restrict__ up,
       __nv_bfloat16* __restrict__ y, int64_t count) {
  const int64_t i = blockIdx.x * int64_t{256} + threadIdx.x;
  if (i >= count) return;
  const float g = __bfloat162float(gate[i]);
  const float e = expf(-fabsf(g));
  const float sigmoid = (g < 0.0f ? e : 1.0f) / (1.0f + e);
  y[i] = __float2bfloat16_rn(g * sigmoid * __bfloat162float(up[i]));
}
