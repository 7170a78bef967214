// Mathematical functions that CUDA has and the C library lacks, and the fast ones. The fast ones
// are exact here: a kernel's error on the CPU device is never larger than on the GPU.
#pragma once

#include "host_math.hpp"
#include <stdlib.h>

#ifndef CUDART_INF_F
#define CUDART_INF_F __builtin_inff()
#endif

inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return ::exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __tanhf(float x) { return tanhf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline void __sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline double fdivide(double x, double y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

inline float rsqrtf(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }

constexpr double k_kernelloop_pi = 3.14159265358979323846;
inline double sinpi(double x) { return sin(k_kernelloop_pi * fmod(x, 2.0)); }
inline double cospi(double x) { return cos(k_kernelloop_pi * fmod(x, 2.0)); }
inline float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
inline float norm3df(float x, float y, float z) {
  const double a = x, b = y, c = z;
  return static_cast<float>(sqrt(a * a + b * b + c * c));
}
inline float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }
inline float norm4df(float x, float y, float z, float w) {
  const double a = x, b = y, c = z, d = w;
  return static_cast<float>(sqrt(a * a + b * b + c * c + d * d));
}
inline float rnorm4df(float x, float y, float z, float w) { return 1.0f / norm4df(x, y, z, w); }

// min and max in the global namespace, for the pairs of types that CUDA has. A mixed pair of
// integers goes by the unsigned type; NaN loses against a number.
#define KERNELLOOP_CPU_MIN_MAX(type, a, b)                                     \
  constexpr type min(a x, b y) {                                               \
    return static_cast<type>(x) < static_cast<type>(y) ? static_cast<type>(x)  \
                                                       : static_cast<type>(y); \
  }                                                                            \
  constexpr type max(a x, b y) {                                               \
    return static_cast<type>(x) < static_cast<type>(y) ? static_cast<type>(y)  \
                                                       : static_cast<type>(x); \
  }
#define KERNELLOOP_CPU_MIN_MAX_OF(signed_type, unsigned_type)         \
  KERNELLOOP_CPU_MIN_MAX(signed_type, signed_type, signed_type)       \
  KERNELLOOP_CPU_MIN_MAX(unsigned_type, unsigned_type, unsigned_type) \
  KERNELLOOP_CPU_MIN_MAX(unsigned_type, signed_type, unsigned_type)   \
  KERNELLOOP_CPU_MIN_MAX(unsigned_type, unsigned_type, signed_type)
KERNELLOOP_CPU_MIN_MAX_OF(int, unsigned int)
KERNELLOOP_CPU_MIN_MAX_OF(long, unsigned long)
KERNELLOOP_CPU_MIN_MAX_OF(long long, unsigned long long)
#undef KERNELLOOP_CPU_MIN_MAX_OF
#undef KERNELLOOP_CPU_MIN_MAX
inline float min(float x, float y) { return fminf(x, y); }
inline float max(float x, float y) { return fmaxf(x, y); }
inline double min(double x, double y) { return fmin(x, y); }
inline double max(double x, double y) { return fmax(x, y); }
inline double min(float x, double y) { return fmin(static_cast<double>(x), y); }
inline double max(float x, double y) { return fmax(static_cast<double>(x), y); }
inline double min(double x, float y) { return fmin(x, static_cast<double>(y)); }
inline double max(double x, float y) { return fmax(x, static_cast<double>(y)); }
inline unsigned umin(unsigned x, unsigned y) { return x < y ? x : y; }
inline unsigned umax(unsigned x, unsigned y) { return x < y ? y : x; }
