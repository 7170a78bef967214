#include "verify/compare.hpp"

#include "verify/elements.hpp"
#include "verify/parallel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kernelloop {
namespace {

constexpr std::int64_t k_smallest_slab = 64;
constexpr double k_infinity = std::numeric_limits<double>::infinity();

std::int64_t slab_of(const std::vector<std::int64_t>& shape, std::int64_t count) {
  std::int64_t slab = 1;
  for (auto axis = shape.rbegin(); axis != shape.rend() && slab < k_smallest_slab; ++axis) {
    slab *= *axis;
  }
  return slab < k_smallest_slab ? std::max<std::int64_t>(count, 1) : slab;
}

double root_mean(double squares, std::int64_t count) {
  return count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0.0;
}

// What one piece of a reference contributes to its scale.
struct ScalePart {
  double squares = 0.0;
  std::int64_t finite = 0;
  double largest = 0.0;
  std::int64_t first_nan = -1;
  std::int64_t first_equal = -1;
};

ScalePart scale_part(const double* reference, std::int64_t begin, std::int64_t end,
                     std::uint64_t pattern, double limit) {
  ScalePart part;
  for (std::int64_t index = begin; index < end; ++index) {
    const double value = reference[index];
    const double magnitude = std::fabs(value);
    if (magnitude <= limit) {
      part.squares += magnitude * magnitude;
      part.largest = std::max(part.largest, magnitude);
      ++part.finite;
      continue;
    }
    if (std::bit_cast<std::uint64_t>(value) == pattern && part.first_equal < 0) {
      part.first_equal = index;
    }
    if (std::isnan(value) && part.first_nan < 0) part.first_nan = index;
  }
  return part;
}

void keep_first(std::int64_t& first, std::int64_t candidate) {
  if (first < 0) first = candidate;
}

// What one piece of an output contributes to its metrics.
struct Sums {
  double error = 0.0;
  double error_squares = 0.0;
  double got_squares = 0.0;
  double reference_squares = 0.0;
  double product = 0.0;
  double max_abs = 0.0;
  double max_rel = 0.0;
  double max_ulp = 0.0;
  double elementwise = 0.0;
  double widest_bound = 0.0;
  double widest_relative_bound = 0.0;
  double term_squares = 0.0;
  double rounding_squares = 0.0;
  std::int64_t worst = -1;
  std::int64_t compared = 0;
  std::int64_t nonfinite = 0;
  std::int64_t first_nonfinite = -1;
  std::int64_t unexpected_nan = 0;
  std::int64_t first_nan = -1;

  void add(const Sums& other) {
    error += other.error;
    error_squares += other.error_squares;
    got_squares += other.got_squares;
    reference_squares += other.reference_squares;
    product += other.product;
    max_abs = std::max(max_abs, other.max_abs);
    max_rel = std::max(max_rel, other.max_rel);
    max_ulp = std::max(max_ulp, other.max_ulp);
    widest_bound = std::max(widest_bound, other.widest_bound);
    widest_relative_bound = std::max(widest_relative_bound, other.widest_relative_bound);
    term_squares += other.term_squares;
    rounding_squares += other.rounding_squares;
    if (other.elementwise > elementwise || worst < 0) {
      elementwise = other.elementwise;
      worst = other.worst;
    }
    compared += other.compared;
    nonfinite += other.nonfinite;
    unexpected_nan += other.unexpected_nan;
    keep_first(first_nonfinite, other.first_nonfinite);
    keep_first(first_nan, other.first_nan);
  }
};

// 0/0 is no error; x/0 is one without measure.
double ratio(double numerator, double denominator) {
  if (numerator == 0.0) return 0.0;
  return denominator > 0.0 ? numerator / denominator : k_infinity;
}

void add_unequal_class(Sums& sums, std::int64_t index, double got) {
  ++sums.nonfinite;
  keep_first(sums.first_nonfinite, index);
  if (std::isnan(got)) {
    ++sums.unexpected_nan;
    keep_first(sums.first_nan, index);
  }
}

Metrics metrics_of(const Sums& sums, const ReferenceScale& scale) {
  Metrics metrics;
  const auto count = static_cast<double>(std::max<std::int64_t>(sums.compared, 1));
  metrics.compared = sums.compared;
  metrics.max_abs = sums.max_abs;
  metrics.max_rel = sums.max_rel;
  metrics.max_ulp = sums.max_ulp;
  metrics.elementwise = sums.elementwise;
  metrics.widest_bound = sums.widest_bound;
  metrics.widest_relative_bound = sums.widest_relative_bound;
  metrics.mae = sums.error / count;
  metrics.mse = sums.error_squares / count;
  metrics.term_rms = std::sqrt(sums.term_squares / count);
  metrics.rounding = ratio(std::sqrt(sums.rounding_squares), std::sqrt(sums.reference_squares));
  metrics.rmse = std::sqrt(metrics.mse);
  metrics.psnr = metrics.rmse == 0.0 ? k_infinity : 20.0 * std::log10(scale.largest / metrics.rmse);
  metrics.normwise = ratio(std::sqrt(sums.error_squares), std::sqrt(sums.reference_squares));
  const double norms = std::sqrt(sums.got_squares) * std::sqrt(sums.reference_squares);
  const bool both_zero = sums.got_squares == 0.0 && sums.reference_squares == 0.0;
  metrics.cosine = both_zero ? 1.0 : norms > 0.0 ? sums.product / norms : 0.0;
  metrics.nonfinite = sums.nonfinite;
  metrics.unexpected_nan = sums.unexpected_nan;
  metrics.first_nan = sums.first_nan;
  metrics.worst = sums.first_nonfinite >= 0 ? sums.first_nonfinite : sums.worst;
  metrics.factor = ratio(sums.product, sums.reference_squares);
  const double residual = std::max(0.0, sums.got_squares - metrics.factor * sums.product);
  metrics.factor_residual = ratio(std::sqrt(residual), std::sqrt(sums.got_squares));
  return metrics;
}

}  // namespace

ReferenceScale scale_of(std::span<const double> reference, const std::vector<std::int64_t>& shape,
                        std::uint64_t pattern, double largest) {
  ReferenceScale scale;
  // Infinity is not below it.
  const double limit = std::min(largest, std::numeric_limits<double>::max());
  scale.count = static_cast<std::int64_t>(reference.size());
  scale.slab = slab_of(shape, scale.count);
  const std::int64_t slabs = scale.count / scale.slab;
  scale.slab_rms.resize(static_cast<std::size_t>(slabs));

  // Slabs longer than a piece are cut, shorter ones are taken several at a time.
  const std::int64_t pieces_of_slab = chunk_count(scale.slab);
  std::vector<ScalePart> parts(static_cast<std::size_t>(slabs * pieces_of_slab));
  const std::int64_t step = std::max<std::int64_t>(1, k_chunk / scale.slab);
  const auto piece = [&](std::int64_t number) {
    const std::int64_t start = number / pieces_of_slab * scale.slab;
    const std::int64_t begin = start + number % pieces_of_slab * k_chunk;
    parts[static_cast<std::size_t>(number)] = scale_part(
        reference.data(), begin, std::min(begin + k_chunk, start + scale.slab), pattern, limit);
  };
  const auto pieces = static_cast<std::int64_t>(parts.size());
  detail::parallel_for((pieces + step - 1) / step, core_count(), [&](std::int64_t group) {
    const std::int64_t end = std::min(pieces, (group + 1) * step);
    for (std::int64_t number = group * step; number < end; ++number) piece(number);
  });

  double squares = 0.0;
  std::int64_t finite = 0;
  for (std::int64_t slab = 0; slab < slabs; ++slab) {
    double slab_squares = 0.0;
    std::int64_t slab_finite = 0;
    for (std::int64_t number = 0; number < pieces_of_slab; ++number) {
      const ScalePart& part = parts[static_cast<std::size_t>(slab * pieces_of_slab + number)];
      slab_squares += part.squares;
      slab_finite += part.finite;
      scale.largest = std::max(scale.largest, part.largest);
      keep_first(scale.first_nan, part.first_nan);
      keep_first(scale.first_equal, part.first_equal);
    }
    scale.slab_rms[static_cast<std::size_t>(slab)] = root_mean(slab_squares, slab_finite);
    squares += slab_squares;
    finite += slab_finite;
  }
  scale.rms = root_mean(squares, finite);
  return scale;
}

bool same_class(const DTypeInfo& type, double got, double expected) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  const bool eight_bits = type.floating && type.size == 1;
  const double limit = type.floating ? type.largest : k_infinity;
  if (std::fabs(expected) > limit) {
    if (std::signbit(got) != std::signbit(expected)) return false;
    // Just above the limit, rounding decides; well above it, nothing but infinity is right.
    const bool near = std::fabs(expected) <= limit * (1.0 + 2.0 * type.unit_roundoff);
    return std::isinf(got) || ((near || eight_bits) && std::fabs(got) == limit);
  }
  // Just below it, too.
  const bool near = std::fabs(expected) >= limit * (1.0 - 2.0 * type.unit_roundoff);
  return std::isfinite(got) || (near && !std::signbit(got) == !std::signbit(expected));
}

bool holds_exactly(DType type, std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [type](double value) {
    std::array<std::byte, 8> bytes{};
    store_element(type, value, bytes.data());
    return load_element(type, bytes.data()) == value;
  });
}

Metrics compare(DType dtype, const std::byte* candidate, std::span<const double> reference,
                const ReferenceScale& scale, const TermMagnitude& magnitude,
                const ErrorModel& model) {
  const DTypeInfo& type = info(dtype);
  const double smallest_step = model.output_underflow;
  const double limit = type.floating ? type.largest : std::numeric_limits<double>::max();
  // A sum with this many times the spacing has no room for anything smaller: rounding to nearest.
  const double no_fraction = type.unit_roundoff > 0x1p-50 ? 0x1.8p52 : 0.0;
  const bool free_nan = model.free_where_undefined || !type.floating;
  std::vector<Sums> parts(static_cast<std::size_t>(chunk_count(scale.count)));
  with_reader(dtype, candidate, [&](const auto& read) {
    const auto add = [&](Sums& sums, std::int64_t index, double slab_rms) {
      const double got = read(index);
      const double expected = reference[static_cast<std::size_t>(index)];
      const double size = std::fabs(expected);
      // NaN fails both comparisons.
      if (!(size <= limit) || !(std::fabs(got) < k_infinity)) {
        const bool judged = !(free_nan && std::isnan(expected));
        if (judged && !same_class(type, got, expected)) add_unequal_class(sums, index, got);
        return;
      }
      const double error = std::fabs(got - expected);
      const double terms = magnitude.at(index, size, slab_rms);
      const double bound = model.bound(size, terms);
      const double bound_ratio = ratio(error, bound);
      const double floor = std::max({size, slab_rms, model.underflow});
      const double spacing = spacing_at(type, smallest_step, expected);
      const double room = no_fraction * spacing;
      const double rounding = no_fraction > 0.0 ? ((size + room) - room) - size : 0.0;
      ++sums.compared;
      sums.error += error;
      sums.error_squares += error * error;
      sums.got_squares += got * got;
      sums.reference_squares += expected * expected;
      sums.product += got * expected;
      sums.max_abs = std::max(sums.max_abs, error);
      sums.max_rel = std::max(sums.max_rel, ratio(error, floor));
      sums.max_ulp = std::max(sums.max_ulp, error / spacing);
      sums.widest_bound = std::max(sums.widest_bound, bound);
      sums.widest_relative_bound = std::max(sums.widest_relative_bound, ratio(bound, floor));
      sums.term_squares += terms * terms;
      sums.rounding_squares += rounding * rounding;
      if (bound_ratio > sums.elementwise || sums.worst < 0) {
        sums.elementwise = bound_ratio;
        sums.worst = index;
      }
    };
    for_chunks(scale.count, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      Sums sums;
      for (std::int64_t slab_begin = begin; slab_begin < end;) {
        const std::int64_t slab = slab_begin / scale.slab;
        const std::int64_t slab_end = std::min(end, (slab + 1) * scale.slab);
        const double slab_rms = scale.slab_rms[static_cast<std::size_t>(slab)];
        for (std::int64_t index = slab_begin; index < slab_end; ++index) {
          add(sums, index, slab_rms);
        }
        slab_begin = slab_end;
      }
      parts[static_cast<std::size_t>(chunk)] = sums;
    });
  });
  Sums total;
  for (const Sums& part : parts) total.add(part);
  return metrics_of(total, scale);
}

}  // namespace kernelloop
