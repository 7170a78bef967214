/* kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0", "kernel": "dequantize_vectors", "grid": ["ceil_div(rows * (cols / 8), 1024)"],
      "block": [256], "args": ["q", "scale", "y", "rows * (cols / 8)", "cols / 8"] },
    { "when": "cols % 8 != 0", "kernel": "dequantize_any", "grid": ["ceil_div(rows * cols, 256)"],
      "block": [256], "args": ["q", "scale", "y", "rows * cols", "cols"] } ] }
*/
#include <cuda_bf16.h>

constexpr int kVectors = 4;

// Two of four bytes, whose sign bits were flipped: as mantissas of 2^23 they need no conversion, and
// the difference is exact.
template <int kFirst>
__device__ __forceinline__ unsigned pair_of(unsigned bytes, float scale) {
  const float low = __uint_as_float(__byte_perm(bytes, 0x4b000000u, 0x7540 + kFirst)) - 8388736.0f;
  const float high = __uint_as_float(__byte_perm(bytes, 0x4b000000u, 0x7541 + kFirst)) - 8388736.0f;
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low * scale, high * scale);
  return *reinterpret_cast<const unsigned*>(&pair);
}

// Eight elements for each load, eight bytes to sixteen.
extern "C" __global__ void __launch_bounds__(256)
dequantize_vectors(const signed char* __restrict__ q, const float* __restrict__ scale,
                   __nv_bfloat16* __restrict__ y, unsigned count, unsigned row_vectors) {
  const unsigned first = blockIdx.x * (256u * kVectors) + threadIdx.x;
  const auto* in = reinterpret_cast<const uint2*>(q);
  auto* out = reinterpret_cast<uint4*>(y);
  uint2 data[kVectors];
  float scales[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const unsigned i = first + v * 256u;
    if (i < count) data[v] = __ldg(in + i);
  }
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const unsigned i = first + v * 256u;
    if (i < count) scales[v] = __ldg(scale + i / row_vectors);
  }
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const unsigned i = first + v * 256u;
    if (i < count) {
      const unsigned a = data[v].x ^ 0x80808080u;
      const unsigned b = data[v].y ^ 0x80808080u;
      out[i] = make_uint4(pair_of<0>(a, scales[v]), pair_of<2>(a, scales[v]), pair_of<0>(b, scales[v]),
                          pair_of<2>(b, scales[v]));
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
dequantize_any(const signed char* __restrict__ q, const float* __restrict__ scale,
               __nv_bfloat16* __restrict__ y, long long count, long long cols) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < count) y[i] = __float2bfloat16_rn(static_cast<float>(q[i]) * scale[i / cols]);
}
