#include "cuda_reference.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace kernelloop::testing::cuda {

float widen_half(std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
float widen_bfloat(std::uint16_t bits) { return __bfloat162float(__ushort_as_bfloat16(bits)); }

void shorten(float value, std::uint16_t out[12]) {
  out[0] = __half_as_ushort(__float2half_rn(value));
  out[1] = __half_as_ushort(__float2half_rz(value));
  out[2] = __half_as_ushort(__float2half_ru(value));
  out[3] = __half_as_ushort(__float2half_rd(value));
  out[4] = __bfloat16_as_ushort(__float2bfloat16_rn(value));
  out[5] = __bfloat16_as_ushort(__float2bfloat16_rz(value));
  out[6] = __bfloat16_as_ushort(__float2bfloat16_ru(value));
  out[7] = __bfloat16_as_ushort(__float2bfloat16_rd(value));
  out[8] = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
  out[9] = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E5M2);
  out[10] = __nv_cvt_float_to_fp8(value, __NV_NOSAT, __NV_E4M3);
  out[11] = __nv_cvt_float_to_fp8(value, __NV_NOSAT, __NV_E5M2);
}

void shorten_double(double value, std::uint16_t out[4]) {
  out[0] = __half_as_ushort(__double2half(value));
  out[1] = __bfloat16_as_ushort(__double2bfloat16(value));
  out[2] = __nv_cvt_double_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
  out[3] = __nv_cvt_double_to_fp8(value, __NV_SATFINITE, __NV_E5M2);
}

std::uint16_t widen_e4m3(std::uint8_t bits) {
  return __half_raw(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3)).x;
}
std::uint16_t widen_e5m2(std::uint8_t bits) {
  return __half_raw(__nv_cvt_fp8_to_halfraw(bits, __NV_E5M2)).x;
}

namespace {

template <typename T>
std::uint16_t comparisons(T x, T y) {
  return static_cast<std::uint16_t>((x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) +
                                    16 * __hltu(x, y));
}

}  // namespace

void half_arithmetic(std::uint16_t a, std::uint16_t b, std::uint16_t out[8]) {
  const __half x = __ushort_as_half(a);
  const __half y = __ushort_as_half(b);
  out[0] = __half_as_ushort(x + y);
  out[1] = __half_as_ushort(x - y);
  out[2] = __half_as_ushort(x * y);
  out[3] = __half_as_ushort(x / y);
  out[4] = __half_as_ushort(__hmax(x, y));
  out[5] = __half_as_ushort(__hmin(x, y));
  out[6] = comparisons(x, y);
}

void bfloat_arithmetic(std::uint16_t a, std::uint16_t b, std::uint16_t out[8]) {
  const __nv_bfloat16 x = __ushort_as_bfloat16(a);
  const __nv_bfloat16 y = __ushort_as_bfloat16(b);
  out[0] = __bfloat16_as_ushort(x + y);
  out[1] = __bfloat16_as_ushort(x - y);
  out[2] = __bfloat16_as_ushort(x * y);
  out[3] = __bfloat16_as_ushort(x / y);
  out[4] = __bfloat16_as_ushort(__hmax(x, y));
  out[5] = __bfloat16_as_ushort(__hmin(x, y));
  out[6] = comparisons(x, y);
}

}  // namespace kernelloop::testing::cuda
