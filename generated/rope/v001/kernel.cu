/* kernelloop:plan
{ "launches": [
    { "kernel": "rope_pairs", "grid": ["ceil_div(tokens * heads * half, 256)"], "block": [256],
      "args": ["x", "cosine", "sine", "y", "tokens * heads * half", "heads", "half"] } ] }
*/
#include <cuda_bf16.h>

#include <cstdint>

extern "C" __global__ void __launch_bounds__(256)
rope_pairs(const __nv_bfloat16* __restrict__ x, const float* __restrict__ cosine,
           const float* __restrict__ sine, __nv_bfloat16* __restrict__ y, int64_t count,
           int64_t heads, int64_t half) {
  const int64_t pair = blockIdx.x * int64_t{256} + threadIdx.x;
  if (pair >= count) return;
  const int64_t i = pair % half;
  const int64_t head = pair / half;  // of all heads of all tokens
  const int64_t angle = head / heads * half + i;
  const int64_t lower = head * 2 * half + i;
  const int64_t upper = lower + half;
  const float a = __bfloat162float(x[lower]);
  const float b = __bfloat162float(x[upper]);
  y[lower] = __float2bfloat16_rn(a * cosine[angle] - b * sine[angle]);
  y[upper] = __float2bfloat16_rn(b * cosine[angle] + a * sine[angle]);
}
