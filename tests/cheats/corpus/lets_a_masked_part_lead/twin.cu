/* kernelloop:plan
{ "workspace_bytes": "rows * ceil_div(cols, 64) * 8",
  "launches": [
    { "kernel": "softmax_parts", "grid": ["rows", "ceil_div(cols, 64)"], "block": [32],
      "args": ["x", "workspace", "cols"] },
    { "kernel": "softmax_whole", "grid": ["rows", "ceil_div(cols, 64)"], "block": [32],
      "args": ["x", "workspace", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

constexpr int kPart = 64;

__device__ float greatest(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

__device__ float total(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

// 1 where both are the same, as two that are -inf.
__device__ float scaled(float value, float maximum) {
  return value == maximum ? 1.0f : __expf(value - maximum);
}

extern "C" __global__ void softmax_parts(const __nv_bfloat16* x, float2* parts, int cols) {
  const __nv_bfloat16* in = x + static_cast<size_t>(blockIdx.x) * cols;
  const int begin = static_cast<int>(blockIdx.y) * kPart + static_cast<int>(threadIdx.x);
  const int end = min(cols, static_cast<int>(blockIdx.y + 1) * kPart);
  float maximum = -INFINITY;
  for (int i = begin; i < end; i += 32) maximum = fmaxf(maximum, __bfloat162float(in[i]));
  maximum = greatest(maximum);
  float sum = 0.0f;
  for (int i = begin; i < end; i += 32) {
    const float value = __bfloat162float(in[i]);
    sum += value == -INFINITY ? 0.0f : __expf(value - maximum);
  }
  sum = total(sum);
  if (threadIdx.x == 0) {
    parts[static_cast<size_t>(blockIdx.x) * gridDim.y + blockIdx.y] = make_float2(maximum, sum);
  }
}

extern "C" __global__ void softmax_whole(const __nv_bfloat16* x, const float2* parts, __nv_bfloat16* y,
                                         int cols) {
  const float2* own = parts + static_cast<size_t>(blockIdx.x) * gridDim.y;
  const int count = static_cast<int>(gridDim.y);
  float maximum = -INFINITY;
  for (int i = threadIdx.x; i < count; i += 32) maximum = fmaxf(maximum, own[i].x);
  maximum = greatest(maximum);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < count; i += 32) sum += own[i].y * scaled(own[i].x, maximum);
  sum = total(sum);
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  const int begin = static_cast<int>(blockIdx.y) * kPart + static_cast<int>(threadIdx.x);
  for (int i = begin; i < min(cols, static_cast<int>(blockIdx.y + 1) * kPart); i += 32) {
    y[row + i] = __float2bfloat16(__expf(__bfloat162float(x[row + i]) - maximum) / sum);
  }
}
