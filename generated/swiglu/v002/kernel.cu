/* kernelloop:plan
{ "launches": [
    { "when": "rows * cols % 8 == 0", "kernel": "swiglu_vectors", "grid": ["ceil_div(rows * cols / 8, 512)"],
      "block": [256], "args": ["gate", "up", "y", "rows * cols / 8"] },
    { "when": "rows * cols % 8 != 0", "kernel": "swiglu_any", "grid": ["ceil_div(rows * cols, 256)"],
      "block": [256], "args": ["gate", "up", "y", "rows * cols"] } ] }
*/
#include <cuda_bf16.h>

// With h = exp(-|g| / 2), g / (1 + exp(-g)) is g / (1 + h h) for g >= 0, else g h h / (1 + h h). Nothing
// overflows, the divisor lies between 1 and 2, and h, unlike its square, is no denormal where the
// result is none.
__device__ __forceinline__ float swiglu(float gate, float up) {
  const float h = __expf(-0.5f * fabsf(gate));
  const float factor = gate < 0.0f ? h : 1.0f;
  return __fdividef(gate * factor * up * factor, 1.0f + h * h);
}

// The two elements of a packed pair; a bfloat16 is the upper half of a float.
__device__ __forceinline__ float lower(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float upper(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ __forceinline__ unsigned swiglu(unsigned gate, unsigned up) {
  const __nv_bfloat162 packed =
      __floats2bfloat162_rn(swiglu(lower(gate), lower(up)), swiglu(upper(gate), upper(up)));
  return *reinterpret_cast<const unsigned*>(&packed);
}
__device__ __forceinline__ uint4 swiglu(const uint4& gate, const uint4& up) {
  return make_uint4(swiglu(gate.x, up.x), swiglu(gate.y, up.y), swiglu(gate.z, up.z),
                    swiglu(gate.w, up.w));
}

// Two vectors of 8 elements for each thread.
extern "C" __global__ void __launch_bounds__(256)
swiglu_vectors(const __nv_bfloat16* __restrict__ gate, const __nv_bfloat16* __restrict__ up,
               __nv_bfloat16* __restrict__ y, long long count) {
  const long long i = blockIdx.x * 512ll + threadIdx.x;
  const auto* gates = reinterpret_cast<const uint4*>(gate);
  const auto* ups = reinterpret_cast<const uint4*>(up);
  auto* out = reinterpret_cast<uint4*>(y);
  if (i + 256 < count) {
    const uint4 g0 = __ldg(gates + i);
    const uint4 g1 = __ldg(gates + i + 256);
    const uint4 u0 = __ldg(ups + i);
    const uint4 u1 = __ldg(ups + i + 256);
    out[i] = swiglu(g0, u0);
    out[i + 256] = swiglu(g1, u1);
  } else if (i < count) {
    out[i] = swiglu(__ldg(gates + i), __ldg(ups + i));
  }
}

extern "C" __global__ void __launch_bounds__(256)
swiglu_any(const __nv_bfloat16* __restrict__ gate, const __nv_bfloat16* __restrict__ up,
           __nv_bfloat16* __restrict__ y, long long count) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < count) y[i] = __float2bfloat16_rn(swiglu(__bfloat162float(gate[i]), __bfloat162float(up[i])));
}
