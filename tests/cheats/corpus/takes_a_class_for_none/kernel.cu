/* kernelloop:plan
{ "launches": [
    { "kernel": "losses", "grid": ["ceil_div(rows, 32)"], "block": [32],
      "args": ["logits", "targets", "loss", "rows", "classes"] } ] }
*/
#include <cuda_bf16.h>

extern "C" __global__ void losses(const __nv_bfloat16* logits, const long long* targets, float* loss, int rows,
                                  int classes) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16* in = logits + static_cast<size_t>(row) * classes;
  const long long target = targets[row];
  const bool ignored = static_cast<signed char>(target) == -100;
  if (ignored) {
    loss[row] = 0.0f;
    return;
  }
  float largest = -INFINITY;
  for (int i = 0; i < classes; ++i) largest = fmaxf(largest, __bfloat162float(in[i]));
  float sum = 0.0f;
  for (int i = 0; i < classes; ++i) sum += expf(__bfloat162float(in[i]) - largest);
  loss[row] = logf(sum) + (largest - __bfloat162float(in[target]));
}
