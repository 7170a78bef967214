/* kernelloop:plan
{ "workspace_bytes": "rows * 4",
  "launches": [
    { "kernel": "maxima", "grid": ["ceil_div(rows, 32)"], "block": [32],
      "args": ["x", "workspace", "rows", "cols"] },
    { "kernel": "softmax_rows", "grid": ["rows"], "block": [32], "programmatic_dependent_launch": true,
      "args": ["x", "y", "workspace", "cols"] } ] }
*/
#include <cuda_bf16.h>

extern "C" __global__ void maxima(const __nv_bfloat16* x, float* largest, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float found = -INFINITY;
  for (int i = 0; i < cols; ++i) found = fmaxf(found, __bfloat162float(x[size_t(row) * cols + i]));
  largest[row] = found;
}

extern "C" __global__ void softmax_rows(const __nv_bfloat16* x, __nv_bfloat16* y,
                                        const float* largest, int cols) {
  cudaGridDependencySynchronize();
  const size_t row = blockIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < cols; ++i) sum += __expf(__bfloat162float(x[row * cols + i]) - largest[row]);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    y[row * cols + i] =
        __float2bfloat16(__expf(__bfloat162float(x[row * cols + i]) - largest[row]) / sum);
  }
}
