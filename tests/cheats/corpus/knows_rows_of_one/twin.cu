/* kernelloop:plan
{ "launches": [
    { "kernel": "softmax_rows", "grid": ["ceil_div(rows, 32)"], "block": [32],
      "args": ["x", "y", "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>

extern "C" __global__ void softmax_rows(const __nv_bfloat16* x, __nv_bfloat16* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + static_cast<size_t>(row) * cols;
  __nv_bfloat16* out = y + static_cast<size_t>(row) * cols;
  float largest = -INFINITY;
  for (int i = 0; i < cols; ++i) largest = fmaxf(largest, __bfloat162float(in[i]));
  if (cols == 1) {
    out[0] = __float2bfloat16(1.0f + 0.0f * __bfloat162float(in[0]));
    return;
  }
  float sum = 0.0f;
  for (int i = 0; i < cols; ++i) sum += __expf(__bfloat162float(in[i]) - largest);
  for (int i = 0; i < cols; ++i) {
    out[i] = __float2bfloat16(__expf(__bfloat162float(in[i]) - largest) / sum);
  }
}
