/* kernelloop:plan
{ "workspace_bytes": "0",
  "launches": [ { "kernel": "softmax_rows", "grid": ["rows"], "block": [128], "args": ["x", "y", "cols"] } ] }
*/
// One block to a row. Defines make it wrong in the ways that the tests name.
#include <cuda_bf16.h>

extern "C" __global__ void softmax_rows(const __nv_bfloat16* x, __nv_bfloat16* y, int cols) {
  __shared__ float partial[128];
  const __nv_bfloat16* in = x + static_cast<long long>(blockIdx.x) * cols;
  __nv_bfloat16* out = y + static_cast<long long>(blockIdx.x) * cols;

  float highest = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    highest = fmaxf(highest, __bfloat162float(in[i]));
  }
  partial[threadIdx.x] = highest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + half]);
    }
    __syncthreads();
  }
  highest = partial[0];
  __syncthreads();

  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    sum += __expf(__bfloat162float(in[i]) - highest);
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  // Right without the barrier as long as thread 0 goes first.
  __shared__ float total;
#ifdef LAST_THREAD_WRITES
  // Wrong in order too: without the barrier every other thread reads before.
  if (threadIdx.x == blockDim.x - 1) total = partial[0];
#else
  if (threadIdx.x == 0) total = partial[0];
#endif
#if !defined(MISSING_BARRIER) && !defined(LAST_THREAD_WRITES)
  __syncthreads();
#endif
  sum = total;

#ifdef SKIPPED_TAIL
  const int end = cols / 32 * 32;
#elif defined(ONE_TOO_MANY)
  const int end = cols + 1;
#else
  const int end = cols;
#endif
  for (int i = threadIdx.x; i < end; i += blockDim.x) {
    out[i] = __float2bfloat16(__expf(__bfloat162float(in[i < cols ? i : 0]) - highest) / sum);
  }
#ifdef ENDLESS
  while (true) {
    __syncthreads();
  }
#endif
}
