/* kernelloop:plan
{ "launches": [
    { "kernel": "product", "grid": ["ceil_div(m * n, 64)"], "block": [64],
      "args": ["a", "b", "c", "m", "n", "k"] } ] }
*/
#include <cuda_bf16.h>

extern "C" __global__ void product(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n,
                                   int k) {
  constexpr int tile = 16;
  const size_t at = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= static_cast<size_t>(m) * n) return;
  const __nv_bfloat16* left = a + at / n * k;
  const __nv_bfloat16* right = b + at % n * k;
  float sum = 0.0f;
  for (int begin = 0; begin < k; begin += tile) {
    const int end = min(k, begin + tile);
    bool any = false;
    for (int l = begin; l < end; ++l) any = any || __bfloat162float(left[l]) != 0.0f;
    if (!any) continue;
    for (int l = begin; l < end; ++l) sum += __bfloat162float(left[l]) * __bfloat162float(right[l]);
  }
  c[at] = __float2bfloat16(sum);
}
