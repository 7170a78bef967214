/* kernelloop:plan
{ "launches": [
    { "kernel": "gemm", "grid": ["ceil_div(n, 16)", "ceil_div(m, 16)"], "block": [16, 16],
      "args": ["a", "b", "c", "m", "n", "k"] } ] }
*/
#include <cuda_bf16.h>

extern "C" __global__ void __launch_bounds__(256)
    gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n, int k) {
  const int i = blockIdx.y * 16 + threadIdx.y;
  const int j = blockIdx.x * 16 + threadIdx.x;
  if (i >= m || j >= n) return;
  const __nv_bfloat16* row = a + static_cast<size_t>(i) * k;
  const __nv_bfloat16* col = b + static_cast<size_t>(j) * k;
  float sum = 0.0f;
  for (int l = 0; l < k; ++l) sum += __bfloat162float(row[l]) * __bfloat162float(col[l]);
  c[static_cast<size_t>(i) * n + j] = __float2bfloat16(sum);
}
