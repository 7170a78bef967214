// One answer per intrinsic, from thread 0.
#include <cuda_runtime.h>
#include <math_constants.h>

extern "C" __global__ void integers(long long* out) {
  int n = 0;
  out[n++] = __popc(0xF0F0u);
  out[n++] = __popcll(0xFFFFFFFF00000001ull);
  out[n++] = __clz(1);
  out[n++] = __clz(0);
  out[n++] = __clzll(1);
  out[n++] = __ffs(8);
  out[n++] = __ffs(0);
  out[n++] = __brev(1u);
  out[n++] = __byte_perm(0x33221100u, 0x77665544u, 0x7531);
  out[n++] = __byte_perm(0x80u, 0u, 0x8888);
  out[n++] = __funnelshift_l(0x80000000u, 1u, 1);
  out[n++] = __funnelshift_r(0x80000000u, 1u, 1);
  out[n++] = __mulhi(-5, 1 << 30);
  out[n++] = __umulhi(0xFFFFFFFFu, 0xFFFFFFFFu);
  out[n++] = __mul24(0xFFFFFF, 2);
  out[n++] = __sad(3, -4, 10);
  out[n++] = __dp4a(0x01FF0203, 0x02030405, 100);
  out[n++] = min(-1, 1u);
  out[n++] = max(-7, 3);
  out[n++] = __float2int_rn(2.5f);
  out[n++] = __float2int_rz(-2.5f);
  out[n++] = __float2int_ru(2.1f);
  out[n++] = __float2int_rd(-2.1f);
  out[n++] = __float2int_rn(3e9f);
  out[n++] = __float2uint_rn(-1.0f);
  out[n++] = __float_as_int(1.0f);
  out[n++] = __double_as_longlong(1.0);
  out[n++] = __fns(0x80u, 0, 1);
}

extern "C" __global__ void floats(float* out, float three) {
  int n = 0;
  out[n++] = __fadd_rn(1.0f, 0x1p-24f);
  out[n++] = __fadd_ru(1.0f, 0x1p-24f);
  out[n++] = __fadd_rd(1.0f, -0x1p-30f);
  out[n++] = __fadd_rz(-1.0f, -0x1p-30f);
  out[n++] = __fmul_ru(1.0f / three, 1.0f / three);
  out[n++] = __fdiv_rd(1.0f, three);
  out[n++] = __fdiv_ru(1.0f, three);
  out[n++] = __frcp_rn(three);
  out[n++] = __fsqrt_rn(2.0f);
  out[n++] = __fsqrt_ru(2.0f);
  out[n++] = __fmaf_rn(three, three, -9.0f);
  out[n++] = __fmaf_rz(1.0f + 0x1p-23f, 1.0f + 0x1p-23f, 0.0f);
  out[n++] = __int2float_rz(16777217);
  out[n++] = __int2float_ru(16777217);
  out[n++] = __saturatef(CUDART_NAN_F);
  out[n++] = fmaxf(CUDART_NAN_F, 1.0f);
  out[n++] = max(1.5f, 2.5f);
  out[n++] = rsqrtf(4.0f);
  out[n++] = exp2f(3.0f);
  out[n++] = __expf(0.0f);
  out[n++] = __logf(1.0f);
  out[n++] = __fdividef(1.0f, 4.0f);
  out[n++] = erff(0.0f);
  out[n++] = sinpif(0.5f);
  out[n++] = copysignf(1.0f, -2.0f);
  out[n++] = __int_as_float(0x40490FDB) - CUDART_PI_F;
  out[n++] = make_float4(1, 2, 3, 4).w + make_int2(5, 6).y + dim3(7).x + float2{8, 9}.y;
  out[n++] = isinf(CUDART_INF_F) && isnan(CUDART_NAN_F) ? 1.0f : 0.0f;
}

extern "C" __global__ void clocks(int* out) {
  const long long before = clock64();
  const clock_t ticks = clock();
  out[0] = clock64() >= before && clock() >= ticks && __isShared(out) == 0 && __isGlobal(out) == 1;
}
