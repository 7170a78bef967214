/* kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0 && cols <= 1024", "kernel": "quantize_warp", "grid": ["ceil_div(rows, 8)"],
      "block": [256], "args": ["x", "q", "scale", "rows", "cols"] },
    { "when": "cols % 8 == 0 && cols > 1024 && cols <= 2048", "kernel": "quantize_2048", "grid": ["rows"],
      "block": [128], "args": ["x", "q", "scale", "cols"] },
    { "when": "cols % 8 == 0 && cols > 2048 && cols <= 4096", "kernel": "quantize_4096", "grid": ["rows"],
      "block": [128], "args": ["x", "q", "scale", "cols"] },
    { "when": "cols % 8 == 0 && cols > 4096 && cols <= 8192", "kernel": "quantize_8192", "grid": ["rows"],
      "block": [256], "args": ["x", "q", "scale", "cols"] },
    { "when": "cols % 8 == 0 && cols > 8192 && cols <= 16384", "kernel": "quantize_16384",
      "grid": ["rows"], "block": [512], "args": ["x", "q", "scale", "cols"] },
    { "when": "cols % 8 != 0 || cols > 16384", "kernel": "quantize_any", "grid": ["rows"],
      "block": [256], "args": ["x", "q", "scale", "cols"] } ] }
*/
#include <cuda_bf16.h>

constexpr unsigned kFullMask = 0xffffffffu;

// The greatest over the team, a warp or a block, of bit patterns of numbers that are not negative,
// which are ordered as the numbers are.
template <int kThreads>
__device__ __forceinline__ unsigned greatest_of_team(unsigned value, unsigned* partial) {
  value = __reduce_max_sync(kFullMask, value);
  if (kThreads == 32) return value;
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  return __reduce_max_sync(kFullMask, lane < kThreads / 32 ? partial[lane] : 0u);
}

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ __forceinline__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

// Of magnitudes.
__device__ __forceinline__ unsigned maximum(unsigned a, unsigned b) {
  const unsigned left = a & 0x7fff7fffu;
  const unsigned right = b & 0x7fff7fffu;
  const __nv_bfloat162 result = __hmax2(*reinterpret_cast<const __nv_bfloat162*>(&left),
                                        *reinterpret_cast<const __nv_bfloat162*>(&right));
  return *reinterpret_cast<const unsigned*>(&result);
}
__device__ __forceinline__ unsigned maximum(const uint4& v) {
  return maximum(maximum(v.x, v.y), maximum(v.z, v.w));
}

// What a row is divided by. Elements are multiplied by `lift` first, so that the inverse of a tiny
// maximum is no infinity.
struct Divisor {
  float lift;
  float inverse;  // 127 / maximum
};

__device__ __forceinline__ Divisor divisor_of(float largest) {
  const float lift = largest < 0x1p-60f ? 0x1p60f : 1.0f;
  return {lift, largest > 0.0f ? 127.0f / (largest * lift) : 0.0f};
}

// The nearest integer in the lowest byte. The product is within 2^-22 of 127 x / m, relatively; the
// quotient, of a number of 15 bits and one of 8, is either a half exactly or at least 2^-16 away
// from it. So rounding to 20 bits gives the halves, and moves nothing across them.
__device__ __forceinline__ unsigned quantized(float x, const Divisor& divisor) {
  const float quotient = x * divisor.lift * divisor.inverse;
  const float snapped = __uint_as_float((__float_as_uint(quotient) + 8u) & ~15u);
  return __float_as_uint(snapped + 12582912.0f);  // 1.5 * 2^23
}

__device__ __forceinline__ unsigned quantized(unsigned first, unsigned second, const Divisor& divisor) {
  const unsigned low =
      __byte_perm(quantized(lower(first), divisor), quantized(upper(first), divisor), 0x0040);
  const unsigned high =
      __byte_perm(quantized(lower(second), divisor), quantized(upper(second), divisor), 0x0040);
  return __byte_perm(low, high, 0x5410);
}

template <int kVectors, int kThreads>
__device__ __forceinline__ void quantize_row(const uint4* in, uint2* out, float* scale, int cols,
                                             int thread, unsigned* partial) {
  const int count = cols / 8;
  uint4 data[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = thread + v * kThreads;
    data[v] = i < count ? __ldg(in + i) : make_uint4(0u, 0u, 0u, 0u);
  }
  unsigned pair = maximum(data[0]);
#pragma unroll
  for (int v = 1; v < kVectors; ++v) pair = maximum(pair, maximum(data[v]));
  const unsigned own = max(pair << 16, pair & 0xffff0000u);
  const float largest = __uint_as_float(greatest_of_team<kThreads>(own, partial));
  if (thread == 0) *scale = largest / 127.0f;
  const Divisor divisor = divisor_of(largest);
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = thread + v * kThreads;
    if (i < count) {
      out[i] = make_uint2(quantized(data[v].x, data[v].y, divisor), quantized(data[v].z, data[v].w, divisor));
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
quantize_warp(const __nv_bfloat16* __restrict__ x, signed char* __restrict__ q, float* __restrict__ scale,
              int rows, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * (cols / 8);
  quantize_row<4, 32>(reinterpret_cast<const uint4*>(x) + first, reinterpret_cast<uint2*>(q) + first,
                      scale + row, cols, threadIdx.x % 32, nullptr);
}

template <int kVectors, int kThreads>
__device__ __forceinline__ void quantize_block(const __nv_bfloat16* x, signed char* q, float* scale,
                                               int cols) {
  __shared__ unsigned partial[kThreads / 32];
  const size_t first = static_cast<size_t>(blockIdx.x) * (cols / 8);
  quantize_row<kVectors, kThreads>(reinterpret_cast<const uint4*>(x) + first,
                                   reinterpret_cast<uint2*>(q) + first, scale + blockIdx.x, cols,
                                   threadIdx.x, partial);
}

extern "C" __global__ void __launch_bounds__(128)
quantize_2048(const __nv_bfloat16* __restrict__ x, signed char* __restrict__ q, float* __restrict__ scale,
              int cols) {
  quantize_block<2, 128>(x, q, scale, cols);
}
extern "C" __global__ void __launch_bounds__(128)
quantize_4096(const __nv_bfloat16* __restrict__ x, signed char* __restrict__ q, float* __restrict__ scale,
              int cols) {
  quantize_block<4, 128>(x, q, scale, cols);
}
extern "C" __global__ void __launch_bounds__(256)
quantize_8192(const __nv_bfloat16* __restrict__ x, signed char* __restrict__ q, float* __restrict__ scale,
              int cols) {
  quantize_block<4, 256>(x, q, scale, cols);
}
extern "C" __global__ void __launch_bounds__(512)
quantize_16384(const __nv_bfloat16* __restrict__ x, signed char* __restrict__ q, float* __restrict__ scale,
               int cols) {
  quantize_block<4, 512>(x, q, scale, cols);
}

extern "C" __global__ void __launch_bounds__(256)
quantize_any(const __nv_bfloat16* __restrict__ x, signed char* __restrict__ q, float* __restrict__ scale,
             int cols) {
  __shared__ unsigned partial[8];
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  x += row;
  q += row;
  float largest = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 256) largest = fmaxf(largest, fabsf(__bfloat162float(x[i])));
  largest = __uint_as_float(greatest_of_team<256>(__float_as_uint(largest), partial));
  if (threadIdx.x == 0) scale[blockIdx.x] = largest / 127.0f;
  const Divisor divisor = divisor_of(largest);
  for (int i = threadIdx.x; i < cols; i += 256) {
    q[i] = static_cast<signed char>(quantized(__bfloat162float(x[i]), divisor) & 0xffu);
  }
}
