// Half and bfloat16: the conversions in bulk, and what else kernels do with them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// Each thread takes a run of `each` values.
extern "C" __global__ void widen(const unsigned short* in, float* from_half, float* from_bfloat,
                                 int each) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (int i = first; i < first + each; ++i) {
    from_half[i] = __half2float(__ushort_as_half(in[i]));
    from_bfloat[i] = __bfloat162float(__ushort_as_bfloat16(in[i]));
  }
}

// Per value: half rn rz ru rd, bfloat16 rn rz ru rd, e4m3, e5m2, both without saturation.
extern "C" __global__ void shorten(const float* in, unsigned short* out, int each) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (int i = first; i < first + each; ++i) {
    unsigned short* o = out + 12 * static_cast<size_t>(i);
    o[0] = __half_as_ushort(__float2half_rn(in[i]));
    o[1] = __half_as_ushort(__float2half_rz(in[i]));
    o[2] = __half_as_ushort(__float2half_ru(in[i]));
    o[3] = __half_as_ushort(__float2half_rd(in[i]));
    o[4] = __bfloat16_as_ushort(__float2bfloat16_rn(in[i]));
    o[5] = __bfloat16_as_ushort(__float2bfloat16_rz(in[i]));
    o[6] = __bfloat16_as_ushort(__float2bfloat16_ru(in[i]));
    o[7] = __bfloat16_as_ushort(__float2bfloat16_rd(in[i]));
    o[8] = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E4M3);
    o[9] = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E5M2);
    o[10] = __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E4M3);
    o[11] = __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E5M2);
  }
}

extern "C" __global__ void shorten_double(const double* in, unsigned short* out, int each) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (int i = first; i < first + each; ++i) {
    out[4 * i] = __half_as_ushort(__double2half(in[i]));
    out[4 * i + 1] = __bfloat16_as_ushort(__double2bfloat16(in[i]));
    out[4 * i + 2] = __nv_cvt_double_to_fp8(in[i], __NV_SATFINITE, __NV_E4M3);
    out[4 * i + 3] = __nv_cvt_double_to_fp8(in[i], __NV_SATFINITE, __NV_E5M2);
  }
}

extern "C" __global__ void widen_fp8(unsigned short* e4m3, unsigned short* e5m2) {
  const unsigned char bits = static_cast<unsigned char>(threadIdx.x);
  e4m3[threadIdx.x] = __half_raw(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3)).x;
  e5m2[threadIdx.x] = __half_raw(__nv_cvt_fp8_to_halfraw(bits, __NV_E5M2)).x;
}

// Pairs of values through the arithmetic that CUDA also offers on the host.
extern "C" __global__ void arithmetic(const unsigned short* a, const unsigned short* b,
                                      unsigned short* half_out, unsigned short* bfloat_out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const __half x = __ushort_as_half(a[i]), y = __ushort_as_half(b[i]);
    unsigned short* h = half_out + 8 * i;
    h[0] = __half_as_ushort(x + y);
    h[1] = __half_as_ushort(x - y);
    h[2] = __half_as_ushort(x * y);
    h[3] = __half_as_ushort(x / y);
    h[4] = __half_as_ushort(__hmax(x, y));
    h[5] = __half_as_ushort(__hmin(x, y));
    h[6] = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * __hltu(x, y);
    h[7] = static_cast<unsigned short>(__half2int_rn(x));
    const __nv_bfloat16 p = __ushort_as_bfloat16(a[i]), q = __ushort_as_bfloat16(b[i]);
    unsigned short* o = bfloat_out + 8 * i;
    o[0] = __bfloat16_as_ushort(p + q);
    o[1] = __bfloat16_as_ushort(p - q);
    o[2] = __bfloat16_as_ushort(p * q);
    o[3] = __bfloat16_as_ushort(p / q);
    o[4] = __bfloat16_as_ushort(__hmax(p, q));
    o[5] = __bfloat16_as_ushort(__hmin(p, q));
    o[6] = (p < q) + 2 * (p <= q) + 4 * (p == q) + 8 * (p != q) + 16 * __hltu(p, q);
    o[7] = static_cast<unsigned short>(__bfloat162int_rn(p));
  }
}

extern "C" __global__ void fused(const unsigned short* a, const unsigned short* b,
                                 const unsigned short* c, unsigned short* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[2 * i] = __half_as_ushort(
        __hfma(__ushort_as_half(a[i]), __ushort_as_half(b[i]), __ushort_as_half(c[i])));
    out[2 * i + 1] = __bfloat16_as_ushort(__hfma(
        __ushort_as_bfloat16(a[i]), __ushort_as_bfloat16(b[i]), __ushort_as_bfloat16(c[i])));
  }
}

// What device code alone has.
extern "C" __global__ void device_only(float* out, __half2* sum2, __nv_bfloat162* sum16, __half* sum) {
  const int t = threadIdx.x;
  __half h = __float2half(static_cast<float>(t));
  for (int i = 16; i > 0; i /= 2) h = __hadd(h, __shfl_xor_sync(~0u, h, i));
  __nv_bfloat162 pair = __floats2bfloat162_rn(1.0f, static_cast<float>(t % 4));
  pair = __hfma2(pair, __float2bfloat162_rn(2.0f), __shfl_xor_sync(~0u, pair, 1));
  atomicAdd(sum2, __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(sum16, __nv_bfloat162(__float2bfloat16(0.5f), __float2bfloat16(0.25f)));
  atomicAdd(sum, __float2half(0.5f));
  if (t != 2) return;
  int n = 0;
  out[n++] = __half2float(h);
  out[n++] = __low2float(pair);
  out[n++] = __high2float(pair);
  out[n++] = __half2float(hexp(__half(0.0f)));
  out[n++] = __half2float(hlog(__half(1.0f)));
  out[n++] = __half2float(hsqrt(__half(9.0f)));
  out[n++] = __half2float(hrsqrt(__half(4.0f)));
  out[n++] = __half2float(hrcp(__half(8.0f)));
  out[n++] = __low2float(h2exp(__float2half2_rn(0.0f)));
  out[n++] = __bfloat162float(hexp2(__nv_bfloat16(3.0f)));
  out[n++] = __half2float(__hfma_relu(__half(1.0f), __half(-2.0f), __half(1.0f)));
  out[n++] = __half2float(__hadd_sat(__half(1.0f), __half(1.0f)));
  out[n++] = __hbeq2(__float2half2_rn(1.0f), __halves2half2(1.0f, 1.0f)) ? 1.0f : 0.0f;
  out[n++] = static_cast<float>(__hlt2_mask(__floats2half2_rn(0, 1), __float2half2_rn(1)));
  out[n++] = __half2float(static_cast<__half>(__nv_fp8_e4m3(3.3f)));
  out[n++] = static_cast<float4>(__nv_fp8x4_e5m2(make_float4(1, 2, 3, 4))).w;
  out[n++] = static_cast<float>(__ldg(sum).operator float() > 0);
}
