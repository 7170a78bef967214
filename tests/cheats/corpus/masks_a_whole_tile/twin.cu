/* kernelloop:plan
{ "launches": [
    { "kernel": "softmax_tiles", "grid": ["rows"], "block": [32], "args": ["x", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

// One warp takes tiles of 32 columns and keeps the maximum and the sum so far.
extern "C" __global__ void softmax_tiles(const __nv_bfloat16* x, __nv_bfloat16* y, int cols) {
  const __nv_bfloat16* in = x + static_cast<size_t>(blockIdx.x) * cols;
  __nv_bfloat16* out = y + static_cast<size_t>(blockIdx.x) * cols;
  float largest = -INFINITY;
  float sum = 0.0f;
  for (int tile = 0; tile < cols; tile += 32) {
    const int i = tile + threadIdx.x;
    const float value = i < cols ? __bfloat162float(in[i]) : -INFINITY;
    float highest = value;
    for (int lane = 16; lane > 0; lane /= 2) highest = fmaxf(highest, __shfl_xor_sync(0xFFFFFFFFu, highest, lane));
    const float next = fmaxf(largest, highest);
    // Where nothing but -inf came so far, the terms are 0; a NaN among them stays.
    const float base = next == -INFINITY ? 0.0f : next;
    float part = expf(value - base);
    for (int lane = 16; lane > 0; lane /= 2) part += __shfl_xor_sync(0xFFFFFFFFu, part, lane);
    sum = sum * expf(largest - base) + part;
    largest = next;
  }
  for (int i = threadIdx.x; i < cols; i += 32) {
    out[i] = __float2bfloat16(expf(__bfloat162float(in[i]) - largest) / sum);
  }
}
