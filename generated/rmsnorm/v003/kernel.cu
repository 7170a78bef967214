/* kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0 && cols <= 8192", "kernel": "rmsnorm_registers", "grid": ["rows"],
      "block": [256], "args": ["x", "weight", "eps", "y", "cols"] },
    { "when": "cols % 8 != 0 || cols > 8192", "kernel": "rmsnorm_any", "grid": ["rows"],
      "block": [256], "args": ["x", "weight", "eps", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

constexpr int kThreads = 256;
constexpr int kVectors = 4;  // 16-byte vectors a thread keeps
constexpr unsigned kFullMask = 0xffffffffu;

// Every thread gets the sum over the block.
__device__ float sum_over_block(float value) {
  __shared__ float partial[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kFullMask, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0.0f;
  for (int warp = 0; warp < kThreads / 32; ++warp) value += partial[warp];
  return value;
}

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ float squares(unsigned pair) {
  return lower(pair) * lower(pair) + upper(pair) * upper(pair);
}

__device__ unsigned scaled(unsigned pair, unsigned weight, float scale) {
  const __nv_bfloat162 result = __floats2bfloat162_rn(lower(pair) * scale * lower(weight),
                                                      upper(pair) * scale * upper(weight));
  return *reinterpret_cast<const unsigned*>(&result);
}

extern "C" __global__ void __launch_bounds__(kThreads)
rmsnorm_registers(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
                  float eps, __nv_bfloat16* __restrict__ y, int cols) {
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  const auto* in = reinterpret_cast<const uint4*>(x + row);
  const auto* weights = reinterpret_cast<const uint4*>(weight);
  auto* out = reinterpret_cast<uint4*>(y + row);
  const int count = cols / 8;

  uint4 data[kVectors];
  float sum = 0.0f;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = threadIdx.x + v * kThreads;
    data[v] = i < count ? in[i] : make_uint4(0u, 0u, 0u, 0u);
    sum += squares(data[v].x) + squares(data[v].y) + squares(data[v].z) + squares(data[v].w);
  }
  const float scale = rsqrtf(sum_over_block(sum) / cols + eps);
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = threadIdx.x + v * kThreads;
    if (i >= count) break;
    const uint4 w = weights[i];
    out[i] = make_uint4(scaled(data[v].x, w.x, scale), scaled(data[v].y, w.y, scale),
                        scaled(data[v].z, w.z, scale), scaled(data[v].w, w.w, scale));
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
rmsnorm_any(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight, float eps,
            __nv_bfloat16* __restrict__ y, int cols) {
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  x += row;
  y += row;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    const float value = __bfloat162float(x[i]);
    sum += value * value;
  }
  const float scale = rsqrtf(sum_over_block(sum) / cols + eps);
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    y[i] = __float2bfloat16_rn(__bfloat162float(x[i]) * scale * __bfloat162float(weight[i]));
  }
}
