/* kernelloop:plan
{ "workspace_bytes": "rows * 4",
  "launches": [
    { "kernel": "factors_and_rows", "grid": ["32 * ceil_div(rows, 16)"], "block": [32],
      "args": ["x", "weight", "eps", "y", { "workspace_offset": 0 }, "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>

// The first half of the blocks computes the factor of each row, the second multiplies by it.
extern "C" __global__ void factors_and_rows(const __nv_bfloat16* x, const __nv_bfloat16* weight, float eps,
                                            __nv_bfloat16* y, float* factors, int rows, int cols) {
  const int half = gridDim.x / 2;
  const bool multiplies = blockIdx.x >= half;
  const int row = multiplies ? blockIdx.x - half : blockIdx.x;
  if (row >= rows) return;
  x += static_cast<size_t>(row) * cols;
  y += static_cast<size_t>(row) * cols;
  if (multiplies) {
    const float factor = factors[row];
    for (int i = threadIdx.x; i < cols; i += 32) {
      y[i] = __float2bfloat16_rn(__bfloat162float(x[i]) * factor * __bfloat162float(weight[i]));
    }
    return;
  }
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 32) {
    const float value = __bfloat162float(x[i]);
    sum += value * value;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) factors[row] = rsqrtf(sum / cols + eps);
}
