/* kernelloop:plan
{ "workspace_bytes": "rows * 4",
  "launches": [
    { "kernel": "row_factors", "grid": ["rows"], "block": [32],
      "args": ["x", "eps", { "workspace_offset": 0 }, "cols"] },
    { "kernel": "row_products", "grid": ["rows"], "block": [32],
      "args": ["x", "weight", "y", { "workspace_offset": 0 }, "cols"] } ] }
*/
#include <cuda_bf16.h>

extern "C" __global__ void row_factors(const __nv_bfloat16* x, float eps, float* factors, int cols) {
  x += static_cast<size_t>(blockIdx.x) * cols;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 32) {
    const float value = __bfloat162float(x[i]);
    sum += value * value;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) factors[blockIdx.x] = rsqrtf(sum / cols + eps);
}

extern "C" __global__ void row_products(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* y,
                                        const float* factors, int cols) {
  const float factor = factors[blockIdx.x];
  x += static_cast<size_t>(blockIdx.x) * cols;
  y += static_cast<size_t>(blockIdx.x) * cols;
  for (int i = threadIdx.x; i < cols; i += 32) {
    y[i] = __float2bfloat16_rn(__bfloat162float(x[i]) * factor * __bfloat162float(weight[i]));
  }
}
