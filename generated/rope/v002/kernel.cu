/* kernelloop:plan
{ "launches": [
    { "when": "half % 8 == 0 && heads % 4 == 0", "kernel": "rope_heads_4",
      "grid": ["ceil_div(tokens * (heads / 4) * (half / 8), 256)"], "block": [256],
      "args": ["x", "cosine", "sine", "y", "tokens * (heads / 4) * (half / 8)", "heads", "half"] },
    { "when": "half % 8 == 0 && heads % 4 != 0", "kernel": "rope_heads_1",
      "grid": ["ceil_div(tokens * heads * (half / 8), 256)"], "block": [256],
      "args": ["x", "cosine", "sine", "y", "tokens * heads * (half / 8)", "heads", "half"] },
    { "when": "half % 8 != 0", "kernel": "rope_any", "grid": ["ceil_div(tokens * heads * half, 256)"],
      "block": [256], "args": ["x", "cosine", "sine", "y", "tokens * heads * half", "heads", "half"] } ] }
*/
#include <cuda_bf16.h>

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ __forceinline__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ __forceinline__ unsigned packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}

// One pair of elements of both halves.
__device__ __forceinline__ void rotate(unsigned& a, unsigned& b, float c0, float c1, float s0, float s1) {
  const float a0 = lower(a);
  const float a1 = upper(a);
  const float b0 = lower(b);
  const float b1 = upper(b);
  a = packed(a0 * c0 - b0 * s0, a1 * c1 - b1 * s1);
  b = packed(b0 * c0 + a0 * s0, b1 * c1 + a1 * s1);
}

// Eight angles of a token for kHeads heads of it, which lie heads / kHeads apart so that neighbouring
// threads take neighbouring heads.
template <int kHeads>
__device__ __forceinline__ void rope_heads(const __nv_bfloat16* x, const float* cosine, const float* sine,
                                           __nv_bfloat16* y, unsigned count, unsigned heads, unsigned half) {
  const unsigned number = blockIdx.x * 256u + threadIdx.x;
  if (number >= count) return;
  const unsigned vectors = half / 8;
  const unsigned groups = heads / kHeads;
  const unsigned i = number % vectors;
  const unsigned group = number / vectors % groups;
  const unsigned token = number / vectors / groups;
  const size_t first = (static_cast<size_t>(token) * heads + group) * (2 * vectors) + i;
  const size_t step = static_cast<size_t>(groups) * (2 * vectors);
  const auto* in = reinterpret_cast<const uint4*>(x) + first;
  uint4 a[kHeads];
  uint4 b[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    a[h] = __ldg(in + h * step);
    b[h] = __ldg(in + h * step + vectors);
  }
  const size_t angle = (static_cast<size_t>(token) * vectors + i) * 2;
  const float4 c0 = __ldg(reinterpret_cast<const float4*>(cosine) + angle);
  const float4 c1 = __ldg(reinterpret_cast<const float4*>(cosine) + angle + 1);
  const float4 s0 = __ldg(reinterpret_cast<const float4*>(sine) + angle);
  const float4 s1 = __ldg(reinterpret_cast<const float4*>(sine) + angle + 1);
  auto* out = reinterpret_cast<uint4*>(y) + first;
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    rotate(a[h].x, b[h].x, c0.x, c0.y, s0.x, s0.y);
    rotate(a[h].y, b[h].y, c0.z, c0.w, s0.z, s0.w);
    rotate(a[h].z, b[h].z, c1.x, c1.y, s1.x, s1.y);
    rotate(a[h].w, b[h].w, c1.z, c1.w, s1.z, s1.w);
    out[h * step] = a[h];
    out[h * step + vectors] = b[h];
  }
}

extern "C" __global__ void __launch_bounds__(256)
rope_heads_4(const __nv_bfloat16* __restrict__ x, const float* __restrict__ cosine,
             const float* __restrict__ sine, __nv_bfloat16* __restrict__ y, unsigned count, int heads,
             int half) {
  rope_heads<4>(x, cosine, sine, y, count, heads, half);
}
extern "C" __global__ void __launch_bounds__(256)
rope_heads_1(const __nv_bfloat16* __restrict__ x, const float* __restrict__ cosine,
             const float* __restrict__ sine, __nv_bfloat16* __restrict__ y, unsigned count, int heads,
             int half) {
  rope_heads<1>(x, cosine, sine, y, count, heads, half);
}

extern "C" __global__ void __launch_bounds__(256)
rope_any(const __nv_bfloat16* __restrict__ x, const float* __restrict__ cosine,
         const float* __restrict__ sine, __nv_bfloat16* __restrict__ y, long long count, int heads,
         int half) {
  const long long pair = blockIdx.x * 256ll + threadIdx.x;
  if (pair >= count) return;
  const long long i = pair % half;
  const long long head = pair / half;  // of all heads of all tokens
  const long long angle = head / heads * half + i;
  const long long low = head * 2 * half + i;
  const long long high = low + half;
  const float a = __bfloat162float(x[low]);
  const float b = __bfloat162float(x[high]);
  y[low] = __float2bfloat16_rn(a * cosine[angle] - b * sine[angle]);
  y[high] = __float2bfloat16_rn(b * cosine[angle] + a * sine[angle]);
}
