// The 16-bit and 8-bit floating-point formats: between their bits and float or double, with the
// results of CUDA's own conversions bit for bit.
#pragma once

#include "rounding.hpp"

namespace kernelloop_cpu {

// The magnitude of a finite double in a format with `mantissa_bits` bits after the point and an
// exponent of least value `least_exponent`, as the format's bit pattern. It counts on past the
// largest finite number of the format; the caller knows what lies there.
template <int mantissa_bits, int least_exponent>
inline uint64_t encode_magnitude(double value, Rounding mode) {
  const uint64_t bits = bits_of_double(value);
  const bool negative = bits >> 63 != 0;
  const int field = static_cast<int>(bits >> 52 & 0x7FFu);
  uint64_t significand = bits & ((1ull << 52) - 1);
  if (field == 0 && significand == 0) return 0;
  int exponent = field == 0 ? -1022 : field - 1023;
  if (field != 0) significand |= 1ull << 52;

  const int step = exponent < least_exponent ? least_exponent : exponent;
  const int shift = 52 - mantissa_bits + (step - exponent);
  uint64_t kept = 0;
  uint64_t half =
      1;  // relation of what is cut off to half a unit: 0 none, 1 below, 2 equal, 3 above
  if (shift < 60) {
    const uint64_t rest = significand & ((1ull << shift) - 1);
    const uint64_t middle = 1ull << (shift - 1);
    kept = significand >> shift;
    half = rest == 0 ? 0 : (rest < middle ? 1 : (rest == middle ? 2 : 3));
  }
  bool up = false;
  switch (mode) {
    case Rounding::nearest:
      up = half == 3 || (half == 2 && (kept & 1u) != 0);
      break;
    case Rounding::zero:
      break;
    case Rounding::up:
      up = half != 0 && !negative;
      break;
    case Rounding::down:
      up = half != 0 && negative;
      break;
  }
  return (static_cast<uint64_t>(step - least_exponent) << mantissa_bits) + kept + (up ? 1u : 0u);
}

// Whether a value beyond the largest finite number stays there instead of becoming infinite.
inline bool stays_finite(bool negative, Rounding mode) {
  return mode == Rounding::zero || (mode == Rounding::up && negative) ||
         (mode == Rounding::down && !negative);
}

template <int mantissa_bits, int least_exponent>
inline uint16_t encode_16(double value, Rounding mode) {
  constexpr uint16_t infinite = static_cast<uint16_t>((0x7FFFu >> mantissa_bits) << mantissa_bits);
  if (isnan(value)) return 0x7FFF;
  const bool negative = signbit(value);
  const uint16_t sign = negative ? 0x8000u : 0u;
  if (isinf(value)) return sign | infinite;
  const uint64_t magnitude = encode_magnitude<mantissa_bits, least_exponent>(value, mode);
  if (magnitude < infinite) return static_cast<uint16_t>(sign | magnitude);
  return static_cast<uint16_t>(sign | (stays_finite(negative, mode) ? infinite - 1u : infinite));
}

struct HalfFormat {
  static uint16_t encode(double value, Rounding mode) { return encode_16<10, -14>(value, mode); }

  static uint16_t encode(float value) {
    const uint32_t bits = bits_of_float(value);
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    // Normal numbers, the usual case. Rounding may carry into infinity, as it should.
    if (magnitude >= 0x38800000u && magnitude < 0x47800000u) {
      const uint32_t odd = magnitude >> 13 & 1u;
      const uint32_t rounded = (magnitude - 0x38000000u + 0xFFFu + odd) >> 13;
      return static_cast<uint16_t>((bits >> 16 & 0x8000u) | rounded);
    }
    return encode(static_cast<double>(value), Rounding::nearest);
  }

  static float decode(uint16_t bits) {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    const uint32_t exponent = bits >> 10 & 0x1Fu;
    const uint32_t mantissa = bits & 0x3FFu;
    if (exponent == 0) {
      const float value = static_cast<float>(mantissa) * 0x1p-24f;
      return sign != 0 ? -value : value;
    }
    if (exponent == 31) {
      return float_of_bits(mantissa != 0 ? 0x7FFFFFFFu : sign | 0x7F800000u);
    }
    return float_of_bits(sign | ((exponent + 112u) << 23 | mantissa << 13));
  }
};

struct BfloatFormat {
  static uint16_t encode(double value, Rounding mode) { return encode_16<7, -126>(value, mode); }

  static uint16_t encode(float value) {
    const uint32_t bits = bits_of_float(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FFF;
    return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
  }

  static float decode(uint16_t bits) { return float_of_bits(static_cast<uint32_t>(bits) << 16); }
};

// Beyond the largest number: `saturate` gives that number, for infinities too. A NaN keeps its sign
// and, where there is room, its first payload bit, as in CUDA's conversion of doubles.
inline uint8_t encode_e4m3(double value, bool saturate) {
  const uint8_t sign = signbit(value) ? 0x80u : 0u;
  if (isnan(value)) return sign | 0x7Fu;
  if (!isinf(value)) {
    const uint64_t magnitude = encode_magnitude<3, -6>(value, Rounding::nearest);
    if (magnitude <= 0x7E) return static_cast<uint8_t>(sign | magnitude);
  }
  return static_cast<uint8_t>(sign | (saturate ? 0x7Eu : 0x7Fu));
}

inline uint8_t encode_e5m2(double value, bool saturate) {
  const uint8_t sign = signbit(value) ? 0x80u : 0u;
  if (isnan(value)) {
    return static_cast<uint8_t>(sign | 0x7Eu | (bits_of_double(value) >> 50 & 1u));
  }
  if (!isinf(value)) {
    const uint64_t magnitude = encode_magnitude<2, -14>(value, Rounding::nearest);
    if (magnitude <= 0x7B) return static_cast<uint8_t>(sign | magnitude);
  }
  return static_cast<uint8_t>(sign | (saturate ? 0x7Bu : 0x7Cu));
}

// Every fp8 number is a half, so halves are what fp8 numbers widen to.
inline uint16_t half_of_e5m2(uint8_t bits) {
  const uint16_t half = static_cast<uint16_t>(bits << 8);
  return (half & 0x7FFFu) > 0x7C00u ? 0x7FFF : half;
}

inline uint16_t half_of_e4m3(uint8_t bits) {
  const uint16_t sign = static_cast<uint16_t>((bits & 0x80u) << 8);
  const unsigned exponent = bits >> 3 & 0xFu;
  const unsigned mantissa = bits & 7u;
  if ((bits & 0x7Fu) == 0x7F) return 0x7FFF;
  if (exponent == 0) {
    return sign | HalfFormat::encode(static_cast<float>(mantissa) * 0x1p-9f);
  }
  return static_cast<uint16_t>(sign | ((exponent + 8u) << 10 | mantissa << 7));
}

}  // namespace kernelloop_cpu
