/* kernelloop:plan
{ "launches": [
    { "kernel": "softmax_rows", "grid": ["rows"], "block": [32],
      "args": ["x", "y", "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>

extern "C" __global__ void softmax_rows(const __nv_bfloat16* x, __nv_bfloat16* y, int rows,
                                        int cols) {
  __shared__ float partial[32];
  __shared__ float sum_of[64];
  const size_t row = blockIdx.x;
  const __nv_bfloat16* in = x + row * cols;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += 32) largest = fmaxf(largest, __bfloat162float(in[i]));
  partial[threadIdx.x] = largest;
  __syncthreads();
  for (int i = 0; i < 32; ++i) largest = fmaxf(largest, partial[i]);
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 32) sum += __expf(__bfloat162float(in[i]) - largest);
  sum_of[threadIdx.x] = sum;
  sum_of[threadIdx.x + 32] = 0.0f;
  __syncthreads();
  sum = 0.0f;
  for (int i = 0; i < 64; ++i) sum += sum_of[i];
  for (int i = threadIdx.x; i < cols; i += 32) {
    y[row * cols + i] = __float2bfloat16(__expf(__bfloat162float(in[i]) - largest) / sum);
  }
}
