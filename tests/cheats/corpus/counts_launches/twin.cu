/* kernelloop:plan
{ "workspace_bytes": "4",
  "launches": [
    { "kernel": "clear", "grid": [1], "block": [1], "args": ["workspace"] },
    { "kernel": "softmax_rows", "grid": ["rows"], "block": [1], "args": ["x", "y", "workspace", "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>

// Rows are handed out by a counter that a launch of this call has cleared.
extern "C" __global__ void clear(int* next) { *next = 0; }

extern "C" __global__ void softmax_rows(const __nv_bfloat16* x, __nv_bfloat16* y, int* next,
                                        int rows, int cols) {
  const int row = atomicAdd(next, 1);
  if (row >= rows) return;
  const __nv_bfloat16* in = x + static_cast<size_t>(row) * cols;
  __nv_bfloat16* out = y + static_cast<size_t>(row) * cols;
  float largest = -INFINITY;
  for (int i = 0; i < cols; ++i) largest = fmaxf(largest, __bfloat162float(in[i]));
  float sum = 0.0f;
  for (int i = 0; i < cols; ++i) sum += __expf(__bfloat162float(in[i]) - largest);
  for (int i = 0; i < cols; ++i) {
    out[i] = __float2bfloat16(__expf(__bfloat162float(in[i]) - largest) / sum);
  }
}
