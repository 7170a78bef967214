#include "verify/panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernelloop {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

// 0/0 is no error; x/0 is one without measure.
double ratio(double numerator, double denominator) {
  if (numerator == 0.0) return 0.0;
  return denominator > 0.0 ? numerator / denominator : k_infinity;
}

}  // namespace

Yardsticks yardsticks_of(DType dtype, const ErrorModel& model) {
  const DTypeInfo& type = info(dtype);
  Yardsticks yardsticks;
  // Nothing that is finite is as large as an infinite reference.
  constexpr double k_largest = std::numeric_limits<double>::max();
  yardsticks.limit = type.floating ? type.largest : k_largest;
  yardsticks.near_limit = std::min(k_largest, yardsticks.limit * (1.0 + 2.0 * type.unit_roundoff));
  yardsticks.nearly_limit = yardsticks.limit * (1.0 - 2.0 * type.unit_roundoff);
  yardsticks.saturates = type.floating && type.size == 1;
  yardsticks.per_reference = 2.0 * model.output_roundoff;
  yardsticks.per_term = 8.0 * (model.accumulated + model.term_roundoff);
  yardsticks.underflow = model.underflow;
  yardsticks.spacing_per_binade = 2.0 * type.unit_roundoff;
  yardsticks.least_spacing = type.floating ? 2.0 * model.output_underflow : 1.0;
  // A sum with this many times the spacing has no room for anything smaller: rounding to nearest.
  yardsticks.no_fraction = type.unit_roundoff > 0x1p-50 ? 0x1.8p52 : 0.0;
  yardsticks.amplification = model.amplification;
  yardsticks.free_where_undefined = model.free_where_undefined || !type.floating;
  return yardsticks;
}

Metrics metrics_of(const PanelSums& sums, const ReferenceScale& scale) {
  Metrics metrics;
  const auto count = static_cast<double>(std::max<std::int64_t>(sums.compared, 1));
  metrics.compared = sums.compared;
  metrics.max_abs = sums.totals.max_abs;
  metrics.max_rel = sums.ratios.relative;
  metrics.max_ulp = sums.ratios.ulp;
  metrics.elementwise = sums.ratios.elementwise;
  metrics.widest_bound = sums.totals.widest_bound;
  metrics.widest_relative_bound = sums.ratios.relative_bound;
  metrics.mae = sums.totals.error / count;
  metrics.mse = sums.totals.error_squares / count;
  metrics.term_rms = std::sqrt(sums.totals.term_squares / count);
  metrics.rounding =
      ratio(std::sqrt(sums.totals.rounding_squares), std::sqrt(sums.totals.reference_squares));
  metrics.rmse = std::sqrt(metrics.mse);
  metrics.psnr = metrics.rmse == 0.0 ? k_infinity : 20.0 * std::log10(scale.largest / metrics.rmse);
  metrics.normwise =
      ratio(std::sqrt(sums.totals.error_squares), std::sqrt(sums.totals.reference_squares));
  const double norms =
      std::sqrt(sums.totals.got_squares) * std::sqrt(sums.totals.reference_squares);
  const bool both_zero = sums.totals.got_squares == 0.0 && sums.totals.reference_squares == 0.0;
  metrics.cosine = both_zero ? 1.0 : norms > 0.0 ? sums.totals.product / norms : 0.0;
  metrics.nonfinite = sums.nonfinite;
  metrics.unexpected_nan = sums.unexpected_nan;
  metrics.first_nan = sums.first_nan;
  metrics.worst = sums.first_nonfinite >= 0 ? sums.first_nonfinite : sums.worst;
  metrics.factor = ratio(sums.totals.product, sums.totals.reference_squares);
  const double residual =
      std::max(0.0, sums.totals.got_squares - metrics.factor * sums.totals.product);
  metrics.factor_residual = ratio(std::sqrt(residual), std::sqrt(sums.totals.got_squares));
  return metrics;
}

}  // namespace kernelloop
