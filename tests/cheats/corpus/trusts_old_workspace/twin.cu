/* kernelloop:plan
{ "workspace_bytes": "rows * 4",
  "launches": [
    { "kernel": "factors", "grid": ["ceil_div(rows, 32)"], "block": [32],
      "args": ["x", "workspace", "eps", "rows", "cols"] },
    { "kernel": "scale", "grid": ["rows"], "block": [64],
      "args": ["x", "weight", "y", "workspace", "cols"] } ] }
*/
#include <cuda_bf16.h>

// What one launch of a call leaves in the workspace, a later launch of the same call may read.
extern "C" __global__ void factors(const __nv_bfloat16* x, float* factor, float eps, int rows,
                                   int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + static_cast<size_t>(row) * cols;
  float squares = 0.0f;
  for (int i = 0; i < cols; ++i) {
    const float value = __bfloat162float(in[i]);
    squares += value * value;
  }
  factor[row] = rsqrtf(squares / cols + eps);
}

extern "C" __global__ void scale(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                 __nv_bfloat16* y, const float* factor, int cols) {
  const size_t row = blockIdx.x;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    y[row * cols + i] = __float2bfloat16(__bfloat162float(x[row * cols + i]) * factor[row] *
                                         __bfloat162float(weight[i]));
  }
}
