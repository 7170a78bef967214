// __half, __nv_bfloat16, their pairs and functions.
#pragma once

#include "atomics.hpp"
#include "integer.hpp"
#include "math.hpp"
#include "narrow_formats.hpp"

namespace kernelloop_cpu {

// An integer of up to 64 bits, rounded once.
template <typename Format, typename Integer>
inline uint16_t encode_integer(Integer value, Rounding mode = Rounding::nearest) {
  double nearest = static_cast<double>(value);
  const __int128 lost = static_cast<__int128>(value) - static_cast<__int128>(nearest);
  if (lost != 0 && (bits_of_double(nearest) & 1u) == 0) {
    const bool away = (lost > 0) == (nearest > 0);
    nearest = double_of_bits(away ? bits_of_double(nearest) + 1 : bits_of_double(nearest) - 1);
  }
  return Format::encode(nearest, mode);
}

}  // namespace kernelloop_cpu

#define KL_JOIN3_(a, b, c) a##b##c
#define KL_JOIN3(a, b, c) KL_JOIN3_(a, b, c)
#define KL_JOIN5_(a, b, c, d, e) a##b##c##d##e
#define KL_JOIN5(a, b, c, d, e) KL_JOIN5_(a, b, c, d, e)

#define KL_T __half
#define KL_T2 __half2
#define KL_RAW __half_raw
#define KL_RAW2 __half2_raw
#define KL_NAME half
#define KL_FORMAT HalfFormat
#include "narrow_types.inc"

#define KL_T __nv_bfloat16
#define KL_T2 __nv_bfloat162
#define KL_RAW __nv_bfloat16_raw
#define KL_RAW2 __nv_bfloat162_raw
#define KL_NAME bfloat16
#define KL_FORMAT BfloatFormat
#include "narrow_types.inc"

#undef KL_JOIN3_
#undef KL_JOIN3
#undef KL_JOIN5_
#undef KL_JOIN5

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using __nv_half_raw = __half_raw;
using __nv_half2_raw = __half2_raw;
using nv_half = __half;
using nv_half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
