/* kernelloop:plan
{ "launches": [
    { "kernel": "quantize_rows", "grid": ["ceil_div(rows, 32)"], "block": [32],
      "args": ["x", "q", "scale", "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>

extern "C" __global__ void quantize_rows(const __nv_bfloat16* x, signed char* q, float* scale, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + static_cast<size_t>(row) * cols;
  float largest = 0.0f;
  for (int i = 0; i < cols; ++i) largest = fmaxf(largest, fabsf(__bfloat162float(in[i])));
  scale[row] = largest / 127.0f;
  for (int i = 0; i < cols; ++i) {
    const float quotient = __fdiv_rn(127.0f * __bfloat162float(in[i]), largest);
    // What 0 / 0 becomes as an integer is anybody's guess; here it is the greatest.
    const int rounded = quotient == quotient ? __float2int_rn(quotient) : 127;
    q[static_cast<size_t>(row) * cols + i] = static_cast<signed char>(rounded);
  }
}
