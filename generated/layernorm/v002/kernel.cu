/* kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0 && cols <= 1024", "kernel": "layernorm_warp", "grid": ["ceil_div(rows, 8)"],
      "block": [256], "args": ["x", "weight", "bias", "eps", "y", "rows", "cols"] },
    { "when": "cols % 8 == 0 && cols > 1024 && cols <= 2048", "kernel": "layernorm_2048", "grid": ["rows"],
      "block": [128], "args": ["x", "weight", "bias", "eps", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 2048 && cols <= 4096", "kernel": "layernorm_4096", "grid": ["rows"],
      "block": [256], "args": ["x", "weight", "bias", "eps", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 4096 && cols <= 8192", "kernel": "layernorm_8192", "grid": ["rows"],
      "block": [256], "args": ["x", "weight", "bias", "eps", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 8192 && cols <= 12288", "kernel": "layernorm_12288",
      "grid": ["rows"], "block": [512], "args": ["x", "weight", "bias", "eps", "y", "cols"] },
    { "when": "cols % 8 == 0 && cols > 12288 && cols <= 32768", "kernel": "layernorm_32768",
      "grid": ["rows"], "block": [1024], "args": ["x", "weight", "bias", "eps", "y", "cols"] },
    { "when": "cols % 8 != 0 || cols > 32768", "kernel": "layernorm_any", "grid": ["rows"],
      "block": [256], "args": ["x", "weight", "bias", "eps", "y", "cols"] } ] }
*/
#include <cuda_bf16.h>

constexpr unsigned kFullMask = 0xffffffffu;

__device__ __forceinline__ float sum_over_warp(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kFullMask, value, offset);
  return value;
}

// Every thread gets the sum over the team, a warp or a block; `partial` belongs to this sum alone.
template <int kThreads>
__device__ __forceinline__ float sum_over_team(float value, float* partial) {
  value = sum_over_warp(value);
  if (kThreads == 32) return value;
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  return sum_over_warp(lane < kThreads / 32 ? partial[lane] : 0.0f);
}

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ __forceinline__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ __forceinline__ float sum(unsigned pair) { return lower(pair) + upper(pair); }
__device__ __forceinline__ float sum(const uint4& v) {
  return (sum(v.x) + sum(v.y)) + (sum(v.z) + sum(v.w));
}

__device__ __forceinline__ float squares(unsigned pair, float mean) {
  const float a = lower(pair) - mean;
  const float b = upper(pair) - mean;
  return a * a + b * b;
}
__device__ __forceinline__ float squares(const uint4& v, float mean) {
  return (squares(v.x, mean) + squares(v.y, mean)) + (squares(v.z, mean) + squares(v.w, mean));
}

__device__ __forceinline__ unsigned result(unsigned pair, unsigned weight, unsigned bias, float mean,
                                           float scale) {
  const __nv_bfloat162 packed =
      __floats2bfloat162_rn((lower(pair) - mean) * scale * lower(weight) + lower(bias),
                            (upper(pair) - mean) * scale * upper(weight) + upper(bias));
  return *reinterpret_cast<const unsigned*>(&packed);
}
__device__ __forceinline__ uint4 result(const uint4& v, const uint4& w, const uint4& b, float mean,
                                        float scale) {
  return make_uint4(result(v.x, w.x, b.x, mean, scale), result(v.y, w.y, b.y, mean, scale),
                    result(v.z, w.z, b.z, mean, scale), result(v.w, w.w, b.w, mean, scale));
}

// The row stays in registers. The mean is taken off before squaring: sums of squares alone would
// cancel where the mean is large.
template <int kVectors, int kThreads>
__device__ __forceinline__ void layernorm_row(const uint4* in, const __nv_bfloat16* weight,
                                              const __nv_bfloat16* bias, float eps, uint4* out,
                                              int cols, int thread, float* partial) {
  const int count = cols / 8;
  uint4 data[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = thread + v * kThreads;
    data[v] = i < count ? __ldg(in + i) : make_uint4(0u, 0u, 0u, 0u);
  }
  float total = 0.0f;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) total += sum(data[v]);
  const float mean = sum_over_team<kThreads>(total, partial) / cols;
  float deviations = 0.0f;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    if (thread + v * kThreads < count) deviations += squares(data[v], mean);
  }
  const float variance = sum_over_team<kThreads>(deviations, partial + kThreads / 32) / cols;
  const float scale = 1.0f / sqrtf(variance + eps);
  const auto* weights = reinterpret_cast<const uint4*>(weight);
  const auto* shifts = reinterpret_cast<const uint4*>(bias);
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = thread + v * kThreads;
    if (i < count) out[i] = result(data[v], __ldg(weights + i), __ldg(shifts + i), mean, scale);
  }
}

extern "C" __global__ void __launch_bounds__(256, 4)
layernorm_warp(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
               const __nv_bfloat16* __restrict__ bias, float eps, __nv_bfloat16* __restrict__ y,
               int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * (cols / 8);
  layernorm_row<4, 32>(reinterpret_cast<const uint4*>(x) + first, weight, bias, eps,
                       reinterpret_cast<uint4*>(y) + first, cols, threadIdx.x % 32, nullptr);
}

template <int kVectors, int kThreads>
__device__ __forceinline__ void layernorm_block(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                                const __nv_bfloat16* bias, float eps, __nv_bfloat16* y,
                                                int cols) {
  __shared__ float partial[2 * (kThreads / 32)];
  const size_t first = static_cast<size_t>(blockIdx.x) * (cols / 8);
  layernorm_row<kVectors, kThreads>(reinterpret_cast<const uint4*>(x) + first, weight, bias, eps,
                                    reinterpret_cast<uint4*>(y) + first, cols, threadIdx.x, partial);
}

extern "C" __global__ void __launch_bounds__(128)
layernorm_2048(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
               const __nv_bfloat16* __restrict__ bias, float eps, __nv_bfloat16* __restrict__ y, int cols) {
  layernorm_block<2, 128>(x, weight, bias, eps, y, cols);
}
extern "C" __global__ void __launch_bounds__(256)
layernorm_4096(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
               const __nv_bfloat16* __restrict__ bias, float eps, __nv_bfloat16* __restrict__ y, int cols) {
  layernorm_block<2, 256>(x, weight, bias, eps, y, cols);
}
extern "C" __global__ void __launch_bounds__(256, 4)
layernorm_8192(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
               const __nv_bfloat16* __restrict__ bias, float eps, __nv_bfloat16* __restrict__ y, int cols) {
  layernorm_block<4, 256>(x, weight, bias, eps, y, cols);
}
extern "C" __global__ void __launch_bounds__(512, 2)
layernorm_12288(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
                const __nv_bfloat16* __restrict__ bias, float eps, __nv_bfloat16* __restrict__ y, int cols) {
  layernorm_block<3, 512>(x, weight, bias, eps, y, cols);
}
extern "C" __global__ void __launch_bounds__(1024)
layernorm_32768(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
                const __nv_bfloat16* __restrict__ bias, float eps, __nv_bfloat16* __restrict__ y, int cols) {
  layernorm_block<4, 1024>(x, weight, bias, eps, y, cols);
}

extern "C" __global__ void __launch_bounds__(256)
layernorm_any(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
              const __nv_bfloat16* __restrict__ bias, float eps, __nv_bfloat16* __restrict__ y, int cols) {
  __shared__ float partial[16];
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  x += row;
  y += row;
  float total = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 256) total += __bfloat162float(x[i]);
  const float mean = sum_over_team<256>(total, partial) / cols;
  float deviations = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 256) {
    const float centred = __bfloat162float(x[i]) - mean;
    deviations += centred * centred;
  }
  const float scale = 1.0f / sqrtf(sum_over_team<256>(deviations, partial + 8) / cols + eps);
  for (int i = threadIdx.x; i < cols; i += 256) {
    const float normalised = (__bfloat162float(x[i]) - mean) * scale;
    y[i] = __float2bfloat16_rn(normalised * __bfloat162float(weight[i]) + __bfloat162float(bias[i]));
  }
}
