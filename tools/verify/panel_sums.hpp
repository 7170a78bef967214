// The sums and maxima from which the panel of metrics is made. Plain C++17 for nvcc's sake.
#pragma once

#include "verify/element_error.hpp"

#include <cmath>
#include <cstdint>

namespace kernelloop {

// What one piece of an output contributes. All over the elements that are finite on both sides,
// but for the counts of those that are not. Pieces may be added in any order; it shows in the last
// digits of sums.
struct PanelSums {
  Totals<double> totals;
  Ratios<double> ratios;
  std::int64_t worst = -1;  // first element with the greatest ratio to its bound
  std::int64_t compared = 0;
  std::int64_t nonfinite = 0;
  std::int64_t first_nonfinite = -1;
  std::int64_t unexpected_nan = 0;
  std::int64_t first_nan = -1;

  KERNELLOOP_ANYWHERE static void keep_first(std::int64_t& first, std::int64_t other) {
    if (first < 0 || (other >= 0 && other < first)) first = other;
  }

  KERNELLOOP_ANYWHERE void add(const PanelSums& other) {
    totals.error += other.totals.error;
    totals.error_squares += other.totals.error_squares;
    totals.got_squares += other.totals.got_squares;
    totals.reference_squares += other.totals.reference_squares;
    totals.product += other.totals.product;
    totals.term_squares += other.totals.term_squares;
    totals.rounding_squares += other.totals.rounding_squares;
    totals.max_abs = larger(totals.max_abs, other.totals.max_abs);
    totals.widest_bound = larger(totals.widest_bound, other.totals.widest_bound);
    if (other.ratios.elementwise > ratios.elementwise) {
      worst = other.worst;
    } else if (other.ratios.elementwise == ratios.elementwise) {
      keep_first(worst, other.worst);
    }
    ratios.elementwise = larger(ratios.elementwise, other.ratios.elementwise);
    ratios.relative = larger(ratios.relative, other.ratios.relative);
    ratios.ulp = larger(ratios.ulp, other.ratios.ulp);
    ratios.relative_bound = larger(ratios.relative_bound, other.ratios.relative_bound);
    compared += other.compared;
    nonfinite += other.nonfinite;
    keep_first(first_nonfinite, other.first_nonfinite);
    unexpected_nan += other.unexpected_nan;
    keep_first(first_nan, other.first_nan);
  }

  KERNELLOOP_ANYWHERE void add_unequal_class(std::int64_t index, double got) {
    ++nonfinite;
    keep_first(first_nonfinite, index);
    if (got != got) {
      ++unexpected_nan;
      keep_first(first_nan, index);
    }
  }
};

// What a piece of a reference contributes to its scale (compare.hpp).
struct ScaleSums {
  double squares = 0.0;  // of finite elements
  double largest = 0.0;
  std::int64_t finite = 0;
  std::int64_t first_nan = -1;

  KERNELLOOP_ANYWHERE void add(const ScaleSums& other) {
    squares += other.squares;
    largest = larger(largest, other.largest);
    finite += other.finite;
    PanelSums::keep_first(first_nan, other.first_nan);
  }

  KERNELLOOP_ANYWHERE double root_mean() const {
    return finite > 0 ? std::sqrt(squares / static_cast<double>(finite)) : 0.0;
  }
};

}  // namespace kernelloop
