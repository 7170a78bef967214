#include "verify/value_patterns.hpp"

#include "verify/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kernelloop {
namespace {

constexpr std::int64_t k_most_elements = std::int64_t{1} << 20;
// Rows shorter than that fit any factor too easily.
constexpr std::int64_t k_shortest_row = 8;

bool nearly_equal(const ValueSample& sample, std::int64_t at, std::int64_t expected_at) {
  const FailedOutput& output = sample.failed;
  const double expected = sample.expected(expected_at);
  const double size = std::fabs(expected);
  const double bound = output.model->bound(size, output.magnitude->at(expected_at, size));
  return std::fabs(sample.value(at) - expected) <= bound;
}

double noise_of(const FailedOutput& output) {
  return 4.0 *
         (output.model->output_roundoff + output.model->accumulated + output.model->term_roundoff);
}

std::optional<std::string> transposed(const ValueSample& sample) {
  const std::vector<std::int64_t>& shape = sample.failed.shape;
  if (!sample.whole() || shape.size() < 2 || sample.cols < 2) return std::nullopt;
  const std::int64_t lines = shape[shape.size() - 2];
  const std::int64_t plane = lines * sample.cols;
  if (lines < 2) return std::nullopt;
  const auto count = static_cast<std::int64_t>(sample.got.size());
  const bool fits = nearly_all(0, count, [&](std::int64_t index) {
    const std::int64_t within = index % plane;
    const std::int64_t mirrored = within % lines * sample.cols + within / lines;
    return nearly_equal(sample, index, index - within + mirrored);
  });
  if (!fits) return std::nullopt;
  return fmt::format("transposed: the values of the {} x {} matrix stand column by column", lines,
                     sample.cols);
}

std::optional<std::string> rows_alike(const ValueSample& sample) {
  if (sample.rows < 2 || sample.cols < 2) return std::nullopt;
  for (std::int64_t index = sample.cols; index < sample.rows * sample.cols; ++index) {
    if (!(sample.value(index) == sample.value(index % sample.cols))) return std::nullopt;
  }
  return "every row is the same: the row's own index is not used";
}

// What one number for each wrong row explains.
struct RowFit {
  double lowest = 0.0;
  double highest = 0.0;
  std::int64_t rows = 0;

  [[nodiscard]] bool same() const {
    return highest - lowest <= 0.01 * std::max(std::fabs(lowest), std::fabs(highest));
  }
  void add(double value) {
    lowest = rows == 0 ? value : std::min(lowest, value);
    highest = rows == 0 ? value : std::max(highest, value);
    ++rows;
  }
};

// Calls use(begin, end) for every row that has a wrong element, until it returns false.
template <typename Use>
bool every_wrong_row(const ValueSample& sample, const Use& use) {
  for (std::int64_t row = 0; row < sample.rows; ++row) {
    const std::int64_t begin = row * sample.cols;
    const std::int64_t end = begin + sample.cols;
    bool wrong = false;
    for (std::int64_t index = begin; index < end && !wrong; ++index) wrong = sample.wrong(index);
    if (wrong && !use(begin, end)) return false;
  }
  return true;
}

std::optional<std::string> row_factor(const ValueSample& sample) {
  const double noise = noise_of(sample.failed);
  RowFit fit;
  const bool fits = every_wrong_row(sample, [&](std::int64_t begin, std::int64_t end) {
    double product = 0.0;
    double squares = 0.0;
    double got_squares = 0.0;
    for (std::int64_t index = begin; index < end; ++index) {
      product += sample.value(index) * sample.expected(index);
      squares += sample.expected(index) * sample.expected(index);
      got_squares += sample.value(index) * sample.value(index);
    }
    if (!(squares > 0.0) || !(got_squares > 0.0)) return false;
    const double factor = product / squares;
    fit.add(factor);
    return got_squares - factor * product <= noise * noise * got_squares;
  });
  // What is as good as 1 explains nothing.
  const double off = std::max(std::fabs(fit.lowest - 1.0), std::fabs(fit.highest - 1.0));
  if (!fits || fit.rows < 2 || off <= std::max(0.005, noise)) return std::nullopt;
  if (fit.same()) {
    return fmt::format("each wrong row ({} of {}) is {:.4g} times what it should be", fit.rows,
                       sample.rows, fit.highest);
  }
  return fmt::format(
      "each wrong row ({} of {}) is off by a factor of its own, {:.4g} to {:.4g}: a "
      "sum or a scale of the row is wrong (a term left out or counted twice?)",
      fit.rows, sample.rows, fit.lowest, fit.highest);
}

std::optional<std::string> row_offset(const ValueSample& sample) {
  const double noise = noise_of(sample.failed);
  RowFit fit;
  const bool fits = every_wrong_row(sample, [&](std::int64_t begin, std::int64_t end) {
    double sum = 0.0;
    double size = 0.0;
    for (std::int64_t index = begin; index < end; ++index) {
      sum += sample.value(index) - sample.expected(index);
      size = std::max(size, std::fabs(sample.expected(index)));
    }
    const double offset = sum / static_cast<double>(end - begin);
    fit.add(offset);
    for (std::int64_t index = begin; index < end; ++index) {
      const double rest = sample.value(index) - sample.expected(index) - offset;
      if (!(std::fabs(rest) <= noise * (size + std::fabs(offset)))) return false;
    }
    return std::fabs(offset) > 2.0 * noise * size;
  });
  if (!fits || fit.rows < 2 || fit.same()) return std::nullopt;
  return fmt::format(
      "each wrong row ({} of {}) is off by an amount of its own, {:.4g} to {:.4g}: a "
      "mean, a maximum or a bias of the row is wrong",
      fit.rows, sample.rows, fit.lowest, fit.highest);
}

// Calls use(index) for every wrong element until it returns false.
template <typename Use>
bool every_wrong(const ValueSample& sample, const Use& use) {
  bool any = false;
  for (std::int64_t index = 0; index < sample.rows * sample.cols; ++index) {
    if (!sample.wrong(index)) continue;
    any = true;
    if (!use(index)) return false;
  }
  return any;
}

// Whether every element is one of a float with `bits` significant bits.
bool all_of_bits(const ValueSample& sample, int bits) {
  bool any = false;
  for (const double value : sample.got) {
    if (value == 0.0) continue;
    if (!std::isfinite(value)) return false;
    int exponent = 0;
    const double units = std::ldexp(std::frexp(value, &exponent), bits);
    if (units != std::floor(units)) return false;
    any = true;
  }
  return any && sample.got.size() >= 8;
}

}  // namespace

ValueSample::ValueSample(const FailedOutput& output) : failed(output) {
  cols = output.shape.empty() ? 1 : std::max<std::int64_t>(1, output.shape.back());
  const std::int64_t all_rows = output.scale->count / cols;
  rows = std::clamp<std::int64_t>(k_most_elements / cols, 1, std::max<std::int64_t>(1, all_rows));
  got.resize(static_cast<std::size_t>(rows * cols));
  with_reader(output.type, output.candidate, [&](const auto& read) {
    for (std::int64_t index = 0; index < rows * cols; ++index) {
      got[static_cast<std::size_t>(index)] = static_cast<double>(read(index));
    }
  });
}

bool ValueSample::wrong(std::int64_t index) const { return is_wrong(failed, value(index), index); }

std::optional<std::string> whole_pattern(const ValueSample& sample) {
  if (auto words = transposed(sample)) return words;
  if (auto words = rows_alike(sample)) return words;
  if (sample.cols < k_shortest_row) return std::nullopt;
  if (auto words = row_factor(sample)) return words;
  return row_offset(sample);
}

std::optional<std::string> common_value(const ValueSample& sample) {
  const auto value_is = [&](const auto& test) {
    return every_wrong(sample, [&](std::int64_t index) { return test(sample.value(index)); });
  };
  const bool lost = every_wrong(sample, [&](std::int64_t index) {
    return std::isnan(sample.expected(index)) && !std::isnan(sample.value(index));
  });
  if (lost) return "NaN is lost: the wrong elements are numbers where NaN is expected";
  if (value_is([](double value) { return value == 0.0; })) return "the wrong elements are 0";
  if (value_is([](double value) { return std::isinf(value); })) {
    return "the wrong elements are infinite";
  }
  const std::size_t size = info(sample.failed.type).size;
  for (const auto& [name, input] : sample.failed.inputs) {
    if (input.size() != sample.failed.reference.size() * size) continue;
    const bool copies = every_wrong(sample, [&, &bytes = input](std::int64_t index) {
      const std::size_t at = static_cast<std::size_t>(index) * size;
      return std::memcmp(bytes.data() + at, sample.failed.candidate + at, size) == 0;
    });
    if (copies) return fmt::format("the wrong elements are those of input '{}'", name);
  }
  return std::nullopt;
}

// The share of the elements that are off by more than so much of themselves.
double share_off(const ValueSample& sample, double relative) {
  std::int64_t off = 0;
  for (std::int64_t index = 0; index < sample.rows * sample.cols; ++index) {
    const double expected = sample.expected(index);
    if (std::fabs(sample.value(index) - expected) > relative * std::fabs(expected)) ++off;
  }
  return static_cast<double>(off) / static_cast<double>(sample.rows * sample.cols);
}

std::optional<std::string> lower_precision(const ValueSample& sample) {
  const DTypeInfo& type = info(sample.failed.type);
  const Metrics& metrics = *sample.failed.metrics;
  if (!type.floating || metrics.nonfinite > 0 || !(metrics.normwise < 0.05)) return std::nullopt;
  struct Narrow {
    int bits;
    double roundoff;
    const char* name;
  };
  for (const Narrow& narrow :
       {Narrow{8, 0x1p-8, "bfloat16"}, Narrow{11, 0x1p-11, "tfloat32 or float16"}}) {
    if (type.unit_roundoff * 4.0 > narrow.roundoff) continue;
    if (all_of_bits(sample, narrow.bits)) {
      return fmt::format(
          "every element has the {} significant bits of {}: the results were rounded "
          "to it",
          narrow.bits, narrow.name);
    }
    // Few that are wrong are a mistake, not a precision.
    if (metrics.normwise >= narrow.roundoff / 8.0 && metrics.normwise < narrow.roundoff * 2.0 &&
        share_off(sample, narrow.roundoff / 16.0) >= 0.1) {
      return fmt::format(
          "the errors have the size of {} arithmetic (normwise {:.1e}), lower than "
          "the precision that is declared",
          narrow.name, metrics.normwise);
    }
  }
  if (type.size == 2 && metrics.normwise > metrics.rounding &&
      metrics.normwise < 1.8 * metrics.rounding && share_off(sample, type.unit_roundoff) >= 0.02) {
    return fmt::format(
        "the errors are those of rounding to {} more than once (normwise {:.1e}, one "
        "rounding costs {:.1e}): a partial result was kept in it",
        type.name, metrics.normwise, metrics.rounding);
  }
  return std::nullopt;
}

}  // namespace kernelloop
