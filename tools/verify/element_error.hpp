// What the error of one element is measured by. The comparator on the CPU and the one on the GPU
// are both built from this, so that no metric has two definitions. Plain C++17 for nvcc's sake.
//
// `Real` is double, or on the CPU a few doubles side by side (Pair).
#pragma once

#include <cstring>

#ifdef __CUDACC__
#define KERNELLOOP_ANYWHERE __host__ __device__ __forceinline__
#else
#define KERNELLOOP_ANYWHERE inline
#endif

namespace kernelloop {

// The yardsticks of one output, the same for all of its elements.
struct Yardsticks {
  double limit = 0.0;                 // a reference beyond it asks for infinity,
  double near_limit = 0.0;            // up to here for the limit itself as well,
  bool saturates = false;             // and in this type anywhere;
  double nearly_limit = 0.0;          // from here on infinity will do as well as a finite value
  bool free_where_undefined = false;  // a reference of NaN binds nobody
  double amplification = 1.0;         // of S where it is estimated
  double per_reference = 0.0;         // bound = per_reference |ref| + per_term S + underflow
  double per_term = 0.0;
  double underflow = 0.0;
  double spacing_per_binade = 0.0;  // of the output's type; 0 for integers
  double least_spacing = 0.0;       // at zero; 1 for integers
  double no_fraction = 0.0;  // times the spacing: what leaves no room for a fraction of it; or 0
};

template <typename Real>
KERNELLOOP_ANYWHERE Real larger(Real a, Real b) {
  return a > b ? a : b;
}

template <typename Real>
KERNELLOOP_ANYWHERE Real everywhere(double value) {
  return Real{} + value;
}

// `value` with those bits only that are set in `mask`.
template <typename Real, typename Bits>
KERNELLOOP_ANYWHERE Real masked(Real value, Bits mask) {
  Bits bits;
  memcpy(&bits, &value, sizeof bits);
  bits &= mask;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

KERNELLOOP_ANYWHERE double magnitude_of(double value) {
  return masked(value, 0x7FFFFFFFFFFFFFFFLL);
}
// 2^floor(log2 |value|) of a normal number, 0 of zero and of what is denormal in double.
KERNELLOOP_ANYWHERE double power_below(double value) { return masked(value, 0x7FF0000000000000LL); }

#ifndef __CUDACC__
// Two doubles in a register, on every machine that has such registers.
using Pair = double __attribute__((vector_size(16)));
using PairBits = decltype(Pair{} > Pair{});  // 64 bits a lane

inline Pair magnitude_of(Pair value) { return masked(value, PairBits{} + 0x7FFFFFFFFFFFFFFFLL); }
inline Pair power_below(Pair value) { return masked(value, PairBits{} + 0x7FF0000000000000LL); }
#endif

// S where the reference gave none (compare.hpp). `size` is |reference|.
template <typename Real>
KERNELLOOP_ANYWHERE Real estimated_terms(const Yardsticks& with, Real size, Real slab_rms) {
  return with.amplification * larger(size, slab_rms);
}

// The distance between neighbours of the output's type around the reference.
template <typename Real>
KERNELLOOP_ANYWHERE Real spacing_of(const Yardsticks& with, Real size) {
  return larger(with.spacing_per_binade * power_below(size), everywhere<Real>(with.least_spacing));
}

// The greatest ratios so far.
template <typename Real>
struct Ratios {
  Real elementwise{};     // error to bound
  Real relative{};        // error to max(|reference|, RMS of the slab, underflow)
  Real ulp{};             // error to spacing
  Real relative_bound{};  // bound to the denominator of `relative`
};

// What is added up, and maxima that need no division.
template <typename Real>
struct Totals {
  Real error{};
  Real error_squares{};
  Real got_squares{};
  Real reference_squares{};
  Real product{};
  Real term_squares{};
  Real rounding_squares{};  // of the reference, rounded to the output's type
  Real max_abs{};
  Real widest_bound{};
};

// An element that is finite on both sides, and all that it is measured by.
template <typename Real>
struct ElementError {
  Real got;
  Real expected;
  Real terms;
  Real error;
  Real bound;
  Real floor;  // what max_rel divides by
  Real spacing;
  Real rounding;  // of the reference, rounded to the output's type

  KERNELLOOP_ANYWHERE ElementError(const Yardsticks& with, Real got_value, Real expected_value,
                                   Real size, Real slab_rms, Real term_magnitude)
      : got(got_value),
        expected(expected_value),
        terms(term_magnitude),
        error(magnitude_of(got_value - expected_value)),
        bound(with.per_reference * size + with.per_term * term_magnitude + with.underflow),
        floor(larger(size, larger(slab_rms, everywhere<Real>(with.underflow)))),
        spacing(spacing_of(with, size)),
        rounding(((size + with.no_fraction * spacing) - with.no_fraction * spacing) - size) {}

  KERNELLOOP_ANYWHERE void add_to(Totals<Real>& totals) const {
    totals.error += error;
    totals.error_squares += error * error;
    totals.got_squares += got * got;
    totals.reference_squares += expected * expected;
    totals.product += got * expected;
    totals.term_squares += terms * terms;
    totals.rounding_squares += rounding * rounding;
    totals.max_abs = larger(error, totals.max_abs);
    totals.widest_bound = larger(bound, totals.widest_bound);
  }

  // Whether a ratio may be greater than the greatest so far. It can only if its numerator is at
  // least the greatest times its denominator, however that product is rounded: rounding never
  // reverses an order. So multiplications tell the few elements for which to divide. Bounds in
  // proportion to their references tie, up to rounding; so they must exceed the product.
  KERNELLOOP_ANYWHERE auto may_exceed(const Ratios<Real>& greatest) const {
    const auto greater = (error >= greatest.elementwise * bound) |
                         (error >= greatest.relative * floor) | (error >= greatest.ulp * spacing);
    return (greater & (error > Real{})) | !(bound >= Real{}) |
           (bound > greatest.relative_bound * floor);
  }

  // What a reference says of its terms may be nonsense: a bound that is negative or NaN excuses
  // nothing. Here and below x/0 is infinite; 0/0 is NaN, which exceeds nothing.
  KERNELLOOP_ANYWHERE Real elementwise() const {
    const Real excused = bound >= Real{} ? bound : Real{};
    return error / excused;
  }

  KERNELLOOP_ANYWHERE void raise(Ratios<Real>& greatest) const {
    greatest.elementwise = larger(elementwise(), greatest.elementwise);
    greatest.relative = larger(error / floor, greatest.relative);
    greatest.ulp = larger(error / spacing, greatest.ulp);
    greatest.relative_bound = larger(bound / floor, greatest.relative_bound);
  }
};

// How NaN, +inf, -inf and finite values of the two sides go together (compare.hpp).
KERNELLOOP_ANYWHERE bool same_class(const Yardsticks& with, double got, double expected) {
  const bool got_is_nan = got != got;
  const bool expected_is_nan = expected != expected;
  if (got_is_nan || expected_is_nan) return got_is_nan && expected_is_nan;
  const double size = magnitude_of(expected);
  const bool infinite = got - got != 0.0;
  const bool same_sign = (got < 0.0) == (expected < 0.0);
  if (size > with.limit) {
    // Just above the limit, rounding decides; well above it, nothing but infinity is right.
    const bool may_be_limit = size <= with.near_limit || with.saturates;
    return same_sign && (infinite || (may_be_limit && magnitude_of(got) == with.limit));
  }
  // Just below it, too.
  return !infinite || (same_sign && size >= with.nearly_limit);
}

// Whether the two sides are not finite in ways that the candidate must answer for.
KERNELLOOP_ANYWHERE bool is_unequal_class(const Yardsticks& with, double got, double expected) {
  const bool free = with.free_where_undefined && expected != expected;
  return !free && !same_class(with, got, expected);
}

}  // namespace kernelloop
