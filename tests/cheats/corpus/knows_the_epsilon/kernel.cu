/* kernelloop:plan
{ "launches": [
    { "kernel": "norm_rows", "grid": ["ceil_div(rows, 32)"], "block": [32],
      "args": ["x", "weight", "y", "eps", "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>

extern "C" __global__ void norm_rows(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* y, float eps, int rows,
                              int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + static_cast<size_t>(row) * cols;
  __nv_bfloat16* out = y + static_cast<size_t>(row) * cols;
  float squares = 0.0f;
  for (int i = 0; i < cols; ++i) {
    const float value = __bfloat162float(in[i]);
    squares += value * value;
  }
  const float factor = rsqrtf(squares / cols + 1e-6f);
  for (int i = 0; i < cols; ++i) {
    out[i] = __float2bfloat16(__bfloat162float(in[i]) * (factor * __bfloat162float(weight[i])));
  }
}
