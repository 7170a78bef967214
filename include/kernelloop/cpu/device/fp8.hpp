// The 8-bit types: __nv_fp8_e4m3, __nv_fp8_e5m2, their vectors of two and four, and the
// conversion functions.
#pragma once

#include "narrow_types.hpp"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t kind) {
  return kind == __NV_E4M3 ? kernelloop_cpu::encode_e4m3(x, saturate == __NV_SATFINITE)
                           : kernelloop_cpu::encode_e5m2(x, saturate == __NV_SATFINITE);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t kind) {
  return isnan(x) ? 0x7F : __nv_cvt_double_to_fp8(x, saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(kernelloop_cpu::HalfFormat::decode(x.x), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                      __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(kernelloop_cpu::BfloatFormat::decode(x.x), saturate, kind);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half_raw{kind == __NV_E4M3 ? kernelloop_cpu::half_of_e4m3(x)
                                      : kernelloop_cpu::half_of_e5m2(x)};
}

namespace kernelloop_cpu {
inline __nv_fp8x2_storage_t join_fp8(__nv_fp8_storage_t low, __nv_fp8_storage_t high) {
  return static_cast<__nv_fp8x2_storage_t>(low | high << 8);
}
inline float fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return HalfFormat::decode(__nv_cvt_fp8_to_halfraw(x, kind).x);
}
}  // namespace kernelloop_cpu

inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return kernelloop_cpu::join_fp8(__nv_cvt_double_to_fp8(x.x, saturate, kind),
                                  __nv_cvt_double_to_fp8(x.y, saturate, kind));
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
  return kernelloop_cpu::join_fp8(__nv_cvt_float_to_fp8(x.x, saturate, kind),
                                  __nv_cvt_float_to_fp8(x.y, saturate, kind));
}
inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
  return kernelloop_cpu::join_fp8(__nv_cvt_halfraw_to_fp8(__half_raw{x.x}, saturate, kind),
                                  __nv_cvt_halfraw_to_fp8(__half_raw{x.y}, saturate, kind));
}
inline __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
                                                           __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind) {
  return kernelloop_cpu::join_fp8(
      __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.x}, saturate, kind),
      __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.y}, saturate, kind));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                              __nv_fp8_interpretation_t kind) {
  return __half2_raw{__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x), kind).x,
                     __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x >> 8), kind).x};
}

#define KERNELLOOP_CPU_FP8(name, kind, name2, name4)                                              \
  struct name {                                                                                   \
    __nv_fp8_storage_t __x;                                                                       \
    name() = default;                                                                             \
    explicit name(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind)) {}               \
    explicit name(double f) : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, kind)) {}             \
    explicit name(__half f) : __x(__nv_cvt_halfraw_to_fp8(f, __NV_SATFINITE, kind)) {}            \
    explicit name(__nv_bfloat16 f) : __x(__nv_cvt_bfloat16raw_to_fp8(f, __NV_SATFINITE, kind)) {} \
    explicit name(short v) : name(static_cast<double>(v)) {}                                      \
    explicit name(unsigned short v) : name(static_cast<double>(v)) {}                             \
    explicit name(int v) : name(static_cast<double>(v)) {}                                        \
    explicit name(unsigned v) : name(static_cast<double>(v)) {}                                   \
    explicit name(long v) : name(static_cast<double>(v)) {}                                       \
    explicit name(unsigned long v) : name(static_cast<double>(v)) {}                              \
    explicit name(long long v) : name(static_cast<double>(v)) {}                                  \
    explicit name(unsigned long long v) : name(static_cast<double>(v)) {}                         \
    explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, kind); }               \
    explicit operator float() const { return kernelloop_cpu::fp8_to_float(__x, kind); }           \
    explicit operator double() const { return kernelloop_cpu::fp8_to_float(__x, kind); }          \
    explicit operator __nv_bfloat16() const {                                                     \
      return __nv_bfloat16(kernelloop_cpu::fp8_to_float(__x, kind));                              \
    }                                                                                             \
    explicit operator int() const {                                                               \
      return kernelloop_cpu::integer_of<int>(kernelloop_cpu::fp8_to_float(__x, kind),             \
                                             kernelloop_cpu::Rounding::zero);                     \
    }                                                                                             \
    explicit operator bool() const { return (__x & 0x7Fu) != 0; }                                 \
  };                                                                                              \
  struct alignas(2) name2 {                                                                       \
    __nv_fp8x2_storage_t __x;                                                                     \
    name2() = default;                                                                            \
    explicit name2(__half2 f) : __x(__nv_cvt_halfraw2_to_fp8x2(f, __NV_SATFINITE, kind)) {}       \
    explicit name2(__nv_bfloat162 f)                                                              \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(f, __NV_SATFINITE, kind)) {}                         \
    explicit name2(float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, kind)) {}          \
    explicit name2(double2 f) : __x(__nv_cvt_double2_to_fp8x2(f, __NV_SATFINITE, kind)) {}        \
    explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); }           \
    explicit operator float2() const {                                                            \
      return __half22float2(__nv_cvt_fp8x2_to_halfraw2(__x, kind));                               \
    }                                                                                             \
  };                                                                                              \
  struct alignas(4) name4 {                                                                       \
    __nv_fp8x4_storage_t __x;                                                                     \
    name4() = default;                                                                            \
    explicit name4(name2 low, name2 high)                                                         \
        : __x(low.__x | static_cast<unsigned>(high.__x) << 16) {}                                 \
    explicit name4(__half2 low, __half2 high) : name4(name2(low), name2(high)) {}                 \
    explicit name4(__nv_bfloat162 low, __nv_bfloat162 high) : name4(name2(low), name2(high)) {}   \
    explicit name4(float4 f) : name4(name2(float2{f.x, f.y}), name2(float2{f.z, f.w})) {}         \
    explicit name4(double4 f) : name4(name2(double2{f.x, f.y}), name2(double2{f.z, f.w})) {}      \
    explicit operator float4() const {                                                            \
      const float2 low =                                                                          \
          __half22float2(__nv_cvt_fp8x2_to_halfraw2(static_cast<unsigned short>(__x), kind));     \
      const float2 high = __half22float2(                                                         \
          __nv_cvt_fp8x2_to_halfraw2(static_cast<unsigned short>(__x >> 16), kind));              \
      return float4{low.x, low.y, high.x, high.y};                                                \
    }                                                                                             \
  };
KERNELLOOP_CPU_FP8(__nv_fp8_e4m3, __NV_E4M3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3)
KERNELLOOP_CPU_FP8(__nv_fp8_e5m2, __NV_E5M2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2)
#undef KERNELLOOP_CPU_FP8
