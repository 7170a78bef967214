// Arithmetic and conversions with a rounding mode in their name (_rn, _rz, _ru, _rd), bit for bit
// what the GPU gives, and the reinterpretations of bits.
#pragma once

#include "host_math.hpp"
#include <stdint.h>

namespace kernelloop_cpu {

enum class Rounding { nearest, zero, up, down };

inline uint64_t bits_of_double(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline double double_of_bits(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
inline uint32_t bits_of_float(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float float_of_bits(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// `nearest` is a value rounded to nearest; `error` has the sign of what it lost (exact - nearest).
inline float direct(float nearest, double error, Rounding mode) {
  if (mode == Rounding::nearest || !(error < 0 || error > 0)) return nearest;
  const bool up = mode == Rounding::up || (mode == Rounding::zero && nearest < 0);
  if (up && error > 0) return nextafterf(nearest, __builtin_inff());
  if (!up && error < 0) return nextafterf(nearest, -__builtin_inff());
  return nearest;
}

// value + rest, where |rest| is below half a unit of value's last place.
inline float narrow(double value, double rest, Rounding mode) {
  const float nearest = static_cast<float>(value);
  const double lost = value - static_cast<double>(nearest);
  return direct(nearest, lost != 0 ? lost : rest, mode);
}

// The sum and what its rounding lost.
inline double sum_error(double a, double b, double sum) {
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return (a - a_part) + (b - b_part);
}

// a + b, its last bit set when the sum is not exact. Rounding that once more to at most 51 bits
// gives what rounding the exact sum would.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!isfinite(sum)) return sum;
  const double error = sum_error(a, b, sum);
  const uint64_t bits = bits_of_double(sum);
  if (error == 0 || (bits & 1u) != 0) return sum;
  return double_of_bits((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

inline float add(float a, float b, Rounding mode) {
  const double sum = static_cast<double>(a) + b;
  return isfinite(sum) ? narrow(sum, sum_error(a, b, sum), mode) : a + b;
}
inline float multiply(float a, float b, Rounding mode) {
  return narrow(static_cast<double>(a) * b, 0, mode);
}
inline float fuse(float a, float b, float c, Rounding mode) {
  const double product = static_cast<double>(a) * b;
  const double sum = product + c;
  return isfinite(sum) ? narrow(sum, sum_error(product, c, sum), mode) : static_cast<float>(sum);
}
inline float divide(float a, float b, Rounding mode) {
  const double quotient = static_cast<double>(a) / b;
  if (!isfinite(quotient) || b == 0 || isinf(b)) return a / b;
  const double rest = fma(-quotient, static_cast<double>(b), static_cast<double>(a));
  return narrow(quotient, b < 0 ? -rest : rest, mode);
}
inline float root(float a, Rounding mode) {
  const double value = sqrt(static_cast<double>(a));
  if (!isfinite(value)) return static_cast<float>(value);
  return narrow(value, fma(-value, value, static_cast<double>(a)), mode);
}

template <typename Integer>
inline float float_of(Integer value, Rounding mode) {
  const float nearest = static_cast<float>(value);
  const __int128 error = static_cast<__int128>(value) - static_cast<__int128>(nearest);
  return direct(nearest, error < 0 ? -1.0 : (error > 0 ? 1.0 : 0.0), mode);
}

inline double integral(double value, Rounding mode) {
  switch (mode) {
    case Rounding::nearest:
      return nearbyint(value);
    case Rounding::zero:
      return trunc(value);
    case Rounding::up:
      return ceil(value);
    case Rounding::down:
      break;
  }
  return floor(value);
}

// Out of range saturates; NaN gives 0, or only the top bit for 64-bit integers.
template <typename Integer>
inline Integer integer_of(double value, Rounding mode) {
  constexpr bool is_signed = static_cast<Integer>(-1) < static_cast<Integer>(0);
  constexpr int bits = static_cast<int>(sizeof(Integer)) * 8;
  constexpr Integer top = static_cast<Integer>(static_cast<uint64_t>(1) << (bits - 1));
  constexpr Integer lowest = is_signed ? top : static_cast<Integer>(0);
  constexpr Integer highest = static_cast<Integer>(~lowest);
  if (isnan(value)) return bits == 64 ? top : static_cast<Integer>(0);
  const double whole = integral(value, mode);
  const double limit = ldexp(1.0, is_signed ? bits - 1 : bits);
  if (whole >= limit) return highest;
  if (whole < (is_signed ? -limit : 0.0)) return lowest;
  return static_cast<Integer>(whole);
}

}  // namespace kernelloop_cpu

#define KERNELLOOP_CPU_ROUNDED(suffix, mode)                                                  \
  inline float __fadd_##suffix(float a, float b) {                                            \
    return kernelloop_cpu::add(a, b, kernelloop_cpu::Rounding::mode);                         \
  }                                                                                           \
  inline float __fsub_##suffix(float a, float b) {                                            \
    return kernelloop_cpu::add(a, -b, kernelloop_cpu::Rounding::mode);                        \
  }                                                                                           \
  inline float __fmul_##suffix(float a, float b) {                                            \
    return kernelloop_cpu::multiply(a, b, kernelloop_cpu::Rounding::mode);                    \
  }                                                                                           \
  inline float __fmaf_##suffix(float a, float b, float c) {                                   \
    return kernelloop_cpu::fuse(a, b, c, kernelloop_cpu::Rounding::mode);                     \
  }                                                                                           \
  inline float __fdiv_##suffix(float a, float b) {                                            \
    return kernelloop_cpu::divide(a, b, kernelloop_cpu::Rounding::mode);                      \
  }                                                                                           \
  inline float __frcp_##suffix(float a) {                                                     \
    return kernelloop_cpu::divide(1.0f, a, kernelloop_cpu::Rounding::mode);                   \
  }                                                                                           \
  inline float __fsqrt_##suffix(float a) {                                                    \
    return kernelloop_cpu::root(a, kernelloop_cpu::Rounding::mode);                           \
  }                                                                                           \
  inline float __double2float_##suffix(double a) {                                            \
    return kernelloop_cpu::narrow(a, 0, kernelloop_cpu::Rounding::mode);                      \
  }                                                                                           \
  inline float __int2float_##suffix(int a) {                                                  \
    return kernelloop_cpu::float_of(a, kernelloop_cpu::Rounding::mode);                       \
  }                                                                                           \
  inline float __uint2float_##suffix(unsigned a) {                                            \
    return kernelloop_cpu::float_of(a, kernelloop_cpu::Rounding::mode);                       \
  }                                                                                           \
  inline float __ll2float_##suffix(long long a) {                                             \
    return kernelloop_cpu::float_of(a, kernelloop_cpu::Rounding::mode);                       \
  }                                                                                           \
  inline float __ull2float_##suffix(unsigned long long a) {                                   \
    return kernelloop_cpu::float_of(a, kernelloop_cpu::Rounding::mode);                       \
  }                                                                                           \
  inline int __float2int_##suffix(float a) {                                                  \
    return kernelloop_cpu::integer_of<int>(a, kernelloop_cpu::Rounding::mode);                \
  }                                                                                           \
  inline unsigned __float2uint_##suffix(float a) {                                            \
    return kernelloop_cpu::integer_of<unsigned>(a, kernelloop_cpu::Rounding::mode);           \
  }                                                                                           \
  inline long long __float2ll_##suffix(float a) {                                             \
    return kernelloop_cpu::integer_of<long long>(a, kernelloop_cpu::Rounding::mode);          \
  }                                                                                           \
  inline unsigned long long __float2ull_##suffix(float a) {                                   \
    return kernelloop_cpu::integer_of<unsigned long long>(a, kernelloop_cpu::Rounding::mode); \
  }                                                                                           \
  inline int __double2int_##suffix(double a) {                                                \
    return kernelloop_cpu::integer_of<int>(a, kernelloop_cpu::Rounding::mode);                \
  }                                                                                           \
  inline unsigned __double2uint_##suffix(double a) {                                          \
    return kernelloop_cpu::integer_of<unsigned>(a, kernelloop_cpu::Rounding::mode);           \
  }                                                                                           \
  inline long long __double2ll_##suffix(double a) {                                           \
    return kernelloop_cpu::integer_of<long long>(a, kernelloop_cpu::Rounding::mode);          \
  }                                                                                           \
  inline unsigned long long __double2ull_##suffix(double a) {                                 \
    return kernelloop_cpu::integer_of<unsigned long long>(a, kernelloop_cpu::Rounding::mode); \
  }
KERNELLOOP_CPU_ROUNDED(rz, zero)
KERNELLOOP_CPU_ROUNDED(ru, up)
KERNELLOOP_CPU_ROUNDED(rd, down)
KERNELLOOP_CPU_ROUNDED(rn, nearest)
#undef KERNELLOOP_CPU_ROUNDED

inline float __frsqrt_rn(float a) { return static_cast<float>(1.0 / sqrt(static_cast<double>(a))); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline double __int2double_rn(int a) { return a; }
inline double __uint2double_rn(unsigned a) { return a; }
inline double __ll2double_rn(long long a) { return static_cast<double>(a); }
inline double __ull2double_rn(unsigned long long a) { return static_cast<double>(a); }

inline int __float_as_int(float a) { return static_cast<int>(kernelloop_cpu::bits_of_float(a)); }
inline unsigned __float_as_uint(float a) { return kernelloop_cpu::bits_of_float(a); }
inline float __int_as_float(int a) {
  return kernelloop_cpu::float_of_bits(static_cast<unsigned>(a));
}
inline float __uint_as_float(unsigned a) { return kernelloop_cpu::float_of_bits(a); }
inline long long __double_as_longlong(double a) {
  return static_cast<long long>(kernelloop_cpu::bits_of_double(a));
}
inline double __longlong_as_double(long long a) {
  return kernelloop_cpu::double_of_bits(static_cast<unsigned long long>(a));
}
inline int __double2hiint(double a) {
  return static_cast<int>(kernelloop_cpu::bits_of_double(a) >> 32);
}
inline int __double2loint(double a) { return static_cast<int>(kernelloop_cpu::bits_of_double(a)); }
inline double __hiloint2double(int high, int low) {
  return kernelloop_cpu::double_of_bits(static_cast<uint64_t>(static_cast<unsigned>(high)) << 32 |
                                        static_cast<unsigned>(low));
}
