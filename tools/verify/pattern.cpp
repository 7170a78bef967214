#include "verify/pattern.hpp"

#include "verify/elements.hpp"
#include "verify/error_map.hpp"
#include "verify/value_patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

namespace kernelloop {
namespace {

bool is_unwritten(const FailedOutput& output, std::int64_t index) {
  const std::size_t size = info(output.type).size;
  const std::size_t begin = static_cast<std::size_t>(index) * size;
  for (std::size_t at = begin; at < begin + size; ++at) {
    if (output.candidate[at] != output.poison.at(at)) return false;
  }
  return true;
}

std::optional<std::string> unwritten(const FailedOutput& output, const ErrorMap& errors) {
  if (errors.unwritten == 0) return std::nullopt;
  if (errors.unwritten == output.scale->count) return "not written at all";
  return fmt::format("{} of {} elements were never written: {}", errors.unwritten,
                     output.scale->count, errors.unwritten_where.describe());
}

std::optional<std::string> not_a_number(const FailedOutput& output, const ErrorMap& errors) {
  const std::int64_t count = output.metrics->unexpected_nan;
  if (count == 0) return std::nullopt;
  return fmt::format("{} of {} elements are NaN, the first at {}: {}", count, output.scale->count,
                     index_text(output.metrics->first_nan, output.shape),
                     errors.not_a_number.describe());
}

std::optional<std::string> copied_input(const FailedOutput& output) {
  const std::size_t bytes = output.reference.size() * info(output.type).size;
  for (const auto& [name, input] : output.inputs) {
    if (input.size() == bytes && std::memcmp(input.data(), output.candidate, bytes) == 0) {
      return fmt::format("the output is a copy of input '{}'", name);
    }
  }
  return std::nullopt;
}

template <typename Read>
std::optional<std::string> one_value(const FailedOutput& output, const Read& read) {
  const double first = read(0);
  for (std::int64_t index = 1; index < output.scale->count; ++index) {
    if (read(index) != first) return std::nullopt;
  }
  if (first == 0.0) return "every element is 0";
  if (output.scale->count < 2) return std::nullopt;
  return fmt::format("every element is {:.6g}", first);
}

std::optional<std::string> constant_factor(const FailedOutput& output, const ErrorMap& errors) {
  const Metrics& metrics = *output.metrics;
  const bool whole = output.scale->count > 1 && errors.wrong.count() * 2 > output.scale->count;
  const double noise = 4.0 * (output.model->output_roundoff + output.model->accumulated +
                              output.model->term_roundoff);
  if (!whole || metrics.nonfinite > 0 || metrics.factor == 0.0 || metrics.factor_residual > noise) {
    return std::nullopt;
  }
  if (std::fabs(metrics.factor + 1.0) <= noise) return "every element has the wrong sign";
  return fmt::format("every element is {:.4g} times what it should be", metrics.factor);
}

// Values that are right but stand in the wrong place.
template <typename Read>
std::optional<std::string> shifted(const FailedOutput& output, const Read& read) {
  const std::int64_t count = output.scale->count;
  const std::int64_t cols = output.shape.empty() ? 1 : output.shape.back();
  const auto fits = [&](std::int64_t distance) {
    const std::int64_t begin = std::max<std::int64_t>(0, -distance);
    const std::int64_t end = std::min(count, count - distance);
    return end - begin >= std::max<std::int64_t>(8, cols) &&
           nearly_all(begin, end, [&](std::int64_t index) {
             const double expected = output.reference[static_cast<std::size_t>(index + distance)];
             const double size = std::fabs(expected);
             const double bound =
                 output.model->bound(size, output.magnitude->at(index + distance, size));
             return std::fabs(read(index) - expected) <= bound || read(index) == expected;
           });
  };
  // Where neighbours are alike, being shifted explains nothing.
  if (output.scale->count < 2 || output.scale->largest == 0.0) return std::nullopt;
  if (fits(1)) return "shifted: each element holds the value of the one after it";
  if (fits(-1)) return "shifted: each element holds the value of the one before it";
  if (cols > 1 && fits(cols)) return "shifted: each row holds the values of the row after it";
  if (cols > 1 && fits(-cols)) return "shifted: each row holds the values of the row before it";
  return std::nullopt;
}

std::string spread_of_error(const FailedOutput& output) {
  const Metrics& metrics = *output.metrics;
  return fmt::format(
      "no element is far off, but all together they are: normwise error {:.2e}; the rounding of "
      "partial results, or a slightly wrong constant",
      metrics.normwise);
}

}  // namespace

std::vector<std::int64_t> unravel(std::int64_t flat, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = shape[axis] > 0 ? flat % shape[axis] : 0;
    flat = shape[axis] > 0 ? flat / shape[axis] : 0;
  }
  return index;
}

std::string index_text(std::int64_t flat, const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(unravel(flat, shape), ", "));
}

bool is_wrong(const FailedOutput& output, double got, std::int64_t index) {
  const DTypeInfo& type = info(output.type);
  const double expected = output.reference[static_cast<std::size_t>(index)];
  const double size = std::fabs(expected);
  if (!std::isfinite(got) || !(size <= type.largest)) {
    const bool free =
        std::isnan(expected) && (output.model->free_where_undefined || !type.floating);
    return !free && !same_class(type, got, expected);
  }
  const bool exact = output.model->exact && output.metrics->rounding == 0.0;
  const double bound = exact ? 0.0 : output.model->bound(size, output.magnitude->at(index, size));
  return !(std::fabs(got - expected) <= bound);
}

std::string describe_pattern(const FailedOutput& output) {
  if (output.scale->count == 0) return "no elements";
  std::string words;
  with_reader(output.type, output.candidate, [&](const auto& read) {
    const ValueSample sample(output);
    const ErrorMap errors = map_errors(
        output.scale->count, output.shape.empty() ? 1 : output.shape.back(),
        [&](std::int64_t index) {
          return is_wrong(output, static_cast<double>(read(index)), index);
        },
        [&](std::int64_t index) { return is_unwritten(output, index); },
        [&](std::int64_t index) { return std::isnan(static_cast<double>(read(index))); });
    if (const auto found = unwritten(output, errors)) {
      words = *found;
    } else if (const auto nan = not_a_number(output, errors)) {
      words = *nan;
    } else if (const auto constant = one_value(output, read)) {
      words = *constant;
    } else if (const auto copy = copied_input(output)) {
      words = *copy;
    } else if (const auto factor = constant_factor(output, errors)) {
      words = *factor;
    } else if (errors.wrong.count() == 0) {
      words = lower_precision(sample).value_or(spread_of_error(output));
    } else if (const auto shift = shifted(output, read)) {
      words = *shift;
    } else if (const auto whole = whole_pattern(sample)) {
      words = *whole;
      const std::int64_t rows = output.scale->count / sample.cols;
      if (errors.wrong.count() * 2 < rows * sample.cols) words += "; " + errors.wrong.describe();
    } else {
      words = errors.wrong.describe();
      if (const auto value = common_value(sample)) {
        words = fmt::format("{}: {}", *value, words);
      } else if (const auto precision = lower_precision(sample)) {
        words = fmt::format("{}; {}", *precision, words);
      }
    }
  });
  return words;
}

}  // namespace kernelloop
