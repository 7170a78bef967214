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

// Two answers each where halfwords and bytes are alike.
extern "C" __global__ void parts(unsigned* out) {
  int n = 0;
  out[n++] = __vadd2(0xFFFF7FFFu, 0x00020001u);
  out[n++] = __vadd4(0xFF7F0180u, 0x02010180u);
  out[n++] = __vaddss2(0x7FFF8000u, 0x0001FFFFu);
  out[n++] = __vaddus4(0xFF7F01F0u, 0x02010120u);
  out[n++] = __vsub4(0x00010203u, 0x01010101u);
  out[n++] = __vsubss4(0x80007F01u, 0x0100FF01u);
  out[n++] = __vsubus2(0x00010005u, 0x00020003u);
  out[n++] = __vabs2(0x8000FFFFu);
  out[n++] = __vabsss4(0x80FF7F01u);
  out[n++] = __vneg4(0x8001FF00u);
  out[n++] = __vnegss2(0x80000001u);
  out[n++] = __vabsdiffs2(0x80000001u, 0x7FFF0002u);
  out[n++] = __vabsdiffu4(0x01FF0010u, 0x02007F10u);
  out[n++] = __vavgs2(0xFFFE0003u, 0xFFFF0000u);
  out[n++] = __vavgu4(0x01020300u, 0x02020301u);
  out[n++] = __vhaddu4(0xFF010203u, 0xFF020201u);
  out[n++] = __vmaxs2(0x8000FFFFu, 0x7FFF0001u);
  out[n++] = __vmaxu2(0x8000FFFFu, 0x7FFF0001u);
  out[n++] = __vmins4(0x80FF0102u, 0x7F010201u);
  out[n++] = __vminu4(0x80FF0102u, 0x7F010201u);
  out[n++] = __vcmpeq4(0x01020304u, 0x01FF03FFu);
  out[n++] = __vcmpgts2(0xFFFF0001u, 0x00000000u);
  out[n++] = __vcmpgtu2(0xFFFF0001u, 0x00000001u);
  out[n++] = __vseteq2(0x00010002u, 0x00010003u);
  out[n++] = __vsetles4(0x80FF0001u, 0x00FF00FFu);
  out[n++] = __vsads4(0x80017F00u, 0x7F00FF01u);
  out[n++] = __vsadu2(0xFFFF0001u, 0x00010003u);
  out[n++] = static_cast<unsigned>(__vimax3_s32(-3, -1, -2));
  out[n++] = static_cast<unsigned>(__vimin3_s32_relu(-3, 1, 2));
  out[n++] = __vimax3_u16x2(0x80000001u, 0x00010003u, 0x70000002u);
  out[n++] = __viaddmin_s16x2(0x7FFF0001u, 0x00010001u, 0x00000005u);
  out[n++] = __viaddmax_u32(0xFFFFFFFFu, 2u, 0u);
  out[n++] = __vimax_s16x2_relu(0xFFFF0003u, 0xFFFE0001u);
  bool high = false;
  bool low = true;
  out[n++] = __vibmax_u16x2(0x00050001u, 0x00040002u, &high, &low);
  out[n++] = (high ? 2u : 0u) | (low ? 1u : 0u);
  out[n++] = static_cast<unsigned>(__vibmin_s32(-1, 1, &low));
  out[n++] = low ? 1u : 0u;
}
