/* kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0 && cols <= 2048", "kernel": "rmsnorm_1", "grid": ["rows"], "block": [256],
      "args": ["x", "weight", "eps", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 2048 && cols <= 4096", "kernel": "rmsnorm_2", "grid": ["rows"],
      "block": [256], "args": ["x", "weight", "eps", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 4096 && cols <= 8192", "kernel": "rmsnorm_4", "grid": ["rows"],
      "block": [256], "args": ["x", "weight", "eps", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 8192 && cols <= 16384", "kernel": "rmsnorm_wide_4", "grid": ["rows"],
      "block": [512], "args": ["x", "weight", "eps", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 16384 && cols <= 65536", "kernel": "rmsnorm_wide_8", "grid": ["rows"],
      "block": [1024], "args": ["x", "weight", "eps", "y", "cols"] },
    { "when": "cols % 8 != 0 || cols > 65536", "kernel": "rmsnorm_any", "grid": ["rows"],
      "block": [256], "args": ["x", "weight", "eps", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

constexpr unsigned kFullMask = 0xffffffffu;

__device__ float sum_over_warp(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kFullMask, value, offset);
  return value;
}

// Every thread gets the sum over the block.
template <int kThreads>
__device__ float sum_over_block(float value) {
  __shared__ float partial[kThreads / 32];
  value = sum_over_warp(value);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  return sum_over_warp(lane < kThreads / 32 ? partial[lane] : 0.0f);
}

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ float squares(unsigned pair) {
  return lower(pair) * lower(pair) + upper(pair) * upper(pair);
}
__device__ float squares(const uint4& v) {
  return squares(v.x) + squares(v.y) + squares(v.z) + squares(v.w);
}

__device__ unsigned scaled(unsigned pair, unsigned weight, float scale) {
  const __nv_bfloat162 result = __floats2bfloat162_rn(lower(pair) * scale * lower(weight),
                                                      upper(pair) * scale * upper(weight));
  return *reinterpret_cast<const unsigned*>(&result);
}
__device__ uint4 scaled(const uint4& v, const uint4& w, float scale) {
  return make_uint4(scaled(v.x, w.x, scale), scaled(v.y, w.y, scale), scaled(v.z, w.z, scale),
                    scaled(v.w, w.w, scale));
}

template <int kVectors, int kThreads>
__device__ void rmsnorm_row(const __nv_bfloat16* x, const __nv_bfloat16* weight, float eps,
                            __nv_bfloat16* y, int cols) {
  const int count = cols / 8;
  const size_t first = static_cast<size_t>(blockIdx.x) * count;
  const auto* in = reinterpret_cast<const uint4*>(x) + first;
  const auto* weights = reinterpret_cast<const uint4*>(weight);
  auto* out = reinterpret_cast<uint4*>(y) + first;

  uint4 data[kVectors];
  uint4 gain[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = threadIdx.x + v * kThreads;
    data[v] = i < count ? in[i] : make_uint4(0u, 0u, 0u, 0u);
  }
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = threadIdx.x + v * kThreads;
    gain[v] = i < count ? weights[i] : make_uint4(0u, 0u, 0u, 0u);
  }
  float sum = 0.0f;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) sum += squares(data[v]);
  const float scale = rsqrtf(sum_over_block<kThreads>(sum) / cols + eps);
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = threadIdx.x + v * kThreads;
    if (i < count) out[i] = scaled(data[v], gain[v], scale);
  }
}

extern "C" __global__ void __launch_bounds__(256)
rmsnorm_1(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight, float eps,
          __nv_bfloat16* __restrict__ y, int cols) {
  rmsnorm_row<1, 256>(x, weight, eps, y, cols);
}
extern "C" __global__ void __launch_bounds__(256)
rmsnorm_2(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight, float eps,
          __nv_bfloat16* __restrict__ y, int cols) {
  rmsnorm_row<2, 256>(x, weight, eps, y, cols);
}
extern "C" __global__ void __launch_bounds__(256)
rmsnorm_4(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight, float eps,
          __nv_bfloat16* __restrict__ y, int cols) {
  rmsnorm_row<4, 256>(x, weight, eps, y, cols);
}
extern "C" __global__ void __launch_bounds__(512)
rmsnorm_wide_4(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight, float eps,
               __nv_bfloat16* __restrict__ y, int cols) {
  rmsnorm_row<4, 512>(x, weight, eps, y, cols);
}
extern "C" __global__ void __launch_bounds__(1024)
rmsnorm_wide_8(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight, float eps,
               __nv_bfloat16* __restrict__ y, int cols) {
  rmsnorm_row<8, 1024>(x, weight, eps, y, cols);
}

extern "C" __global__ void __launch_bounds__(256)
rmsnorm_any(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight, float eps,
            __nv_bfloat16* __restrict__ y, int cols) {
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  x += row;
  y += row;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 256) {
    const float value = __bfloat162float(x[i]);
    sum += value * value;
  }
  const float scale = rsqrtf(sum_over_block<256>(sum) / cols + eps);
  for (int i = threadIdx.x; i < cols; i += 256) {
    y[i] = __float2bfloat16_rn(__bfloat162float(x[i]) * scale * __bfloat162float(weight[i]));
  }
}
