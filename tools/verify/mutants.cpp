#include "verify/mutants.hpp"

#include "support/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace kernelloop {
namespace {

const char* const k_vary_inputs =
    "the outputs hardly differ from one another: give the inputs `values` that spread them, or a "
    "ladder.smoke shape with longer rows";
const char* const k_more_rows = "add a shape with more than one row to ladder.shapes";
const char* const k_one_element = "the output is one element";
const char* const k_more_precision =
    "the limits are wider than the declared precision: let the reference give the magnitude of its "
    "terms, or declare a wider `precision.accumulate`";

// An output as elements.
class Elements {
 public:
  Elements(DType type, std::span<std::byte> bytes) : type_(type), bytes_(bytes) {}

  [[nodiscard]] std::size_t count() const { return bytes_.size() / size(); }
  [[nodiscard]] std::size_t size() const { return info(type_).size; }
  [[nodiscard]] double get(std::size_t index) const {
    return load_element(type_, &bytes_[index * size()]);
  }
  void set(std::size_t index, double value) {
    store_element(type_, value, &bytes_[index * size()]);
  }
  void fill(std::size_t begin, std::size_t end, double value) {
    for (std::size_t index = begin; index < end; ++index) set(index, value);
  }

 private:
  DType type_;
  std::span<std::byte> bytes_;
};

// Elements of the last axis; 1 for an output of one element.
std::size_t row_length(const MutantLaunch& launch) {
  return launch.truth.shape.empty() ? 1 : static_cast<std::size_t>(launch.truth.shape.back());
}

double mean_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

// The significand of the format below this one: float32, tfloat32, bfloat16, float8.
std::optional<int> one_less(int significand) {
  for (const int lower : {24, 11, 8, 4}) {
    if (lower < significand) return lower;
  }
  return std::nullopt;
}

int significand_of(DType type) { return -std::ilogb(info(type).unit_roundoff); }

// What a kernel may compute with: the output's own precision, less where the op allows tfloat32.
int declared_significand(const OpSpec& spec, DType type) {
  constexpr int k_after_tf32 = 8;
  const int own = significand_of(type);
  return spec.precision.allow_tf32 ? std::min(own, k_after_tf32) : own;
}

// To how many bits the inputs are cut: one precision less than what input and output can show.
std::optional<int> cut_of_inputs(const OpSpec& spec, const Tensor& output) {
  int widest = 0;
  for (const Tensor& input : spec.inputs) {
    if (info(input.dtype).floating) widest = std::max(widest, significand_of(input.dtype));
  }
  if (widest == 0) return std::nullopt;
  if (info(output.dtype).floating) {
    widest = std::min(widest, declared_significand(spec, output.dtype));
  }
  return one_less(widest);
}

Mutant zeros() {
  return {"zeros",
          "every element is 0",
          k_vary_inputs,
          "",
          "",
          [](const MutantLaunch& launch, std::span<std::byte> bytes) {
            Elements elements(launch.output.dtype, bytes);
            elements.fill(0, elements.count(), 0.0);
          }};
}

Mutant constant(const Tensor& output) {
  return {"constant",
          "every element is the first one",
          k_vary_inputs,
          "",
          output.shape.empty() ? k_one_element : "",
          [](const MutantLaunch& launch, std::span<std::byte> bytes) {
            Elements elements(launch.output.dtype, bytes);
            elements.fill(0, elements.count(), elements.get(0));
          }};
}

Mutant mean(const Tensor& output) {
  return {"mean",
          "every element is the mean of all",
          k_vary_inputs,
          "",
          output.shape.empty() ? k_one_element : "",
          [](const MutantLaunch& launch, std::span<std::byte> bytes) {
            Elements elements(launch.output.dtype, bytes);
            elements.fill(0, elements.count(), mean_of(launch.truth.values));
          }};
}

Mutant row_mean(const Tensor& output) {
  return {"row_mean",
          "every element is the mean of its row",
          k_vary_inputs,
          "",
          output.shape.size() < 2 ? "the output has no rows" : "",
          [](const MutantLaunch& launch, std::span<std::byte> bytes) {
            Elements elements(launch.output.dtype, bytes);
            const std::size_t length = row_length(launch);
            for (std::size_t begin = 0; begin < elements.count(); begin += length) {
              elements.fill(begin, begin + length,
                            mean_of(launch.truth.values.subspan(begin, length)));
            }
          }};
}

Mutant not_a_number(const Tensor& output) {
  return {"nan",
          "every element is NaN",
          "report it: NaN must never pass",
          "",
          info(output.dtype).floating ? "" : "the output's type has no NaN",
          [](const MutantLaunch& launch, std::span<std::byte> bytes) {
            Elements elements(launch.output.dtype, bytes);
            elements.fill(0, elements.count(), std::numeric_limits<double>::quiet_NaN());
          }};
}

void copy_input(const MutantLaunch& launch, std::span<std::byte> bytes) {
  std::copy(launch.copied.begin(), launch.copied.end(), bytes.begin());
}

// One for each input that the output could be a copy of.
std::vector<Mutant> copied_inputs(const OpSpec& spec, const Tensor& output) {
  std::vector<Mutant> mutants;
  for (const Tensor& input : spec.inputs) {
    if (input.scalar || input.dtype != output.dtype || input.shape != output.shape) continue;
    mutants.push_back({"copied_" + input.name, fmt::format("a copy of the input '{}'", input.name),
                       "the op hardly changes its input: give `values` with another mean or "
                       "deviation",
                       input.name, "", copy_input});
  }
  if (!mutants.empty()) return mutants;
  return {{"copied_input", "a copy of an input", "", "",
           "no input has the output's shape and dtype", copy_input}};
}

Mutant skipped_tail() {
  return {"skipped_tail",
          "the last element of every row is not written",
          "add a shape with rows of an odd length to ladder.shapes",
          "",
          "",
          [](const MutantLaunch& launch, std::span<std::byte> bytes) {
            const std::size_t size = info(launch.output.dtype).size;
            const std::size_t row = row_length(launch) * size;
            for (std::size_t end = row; end <= bytes.size(); end += row) {
              for (std::size_t at = end - size; at < end; ++at) bytes[at] = launch.poison.at(at);
            }
          }};
}

Mutant zero_tail() {
  return {"zero_tail",
          "the last sixteenth of the elements is 0",
          k_vary_inputs,
          "",
          "",
          [](const MutantLaunch& launch, std::span<std::byte> bytes) {
            Elements elements(launch.output.dtype, bytes);
            const std::size_t skipped = std::max<std::size_t>(1, elements.count() / 16);
            elements.fill(elements.count() - skipped, elements.count(), 0.0);
          }};
}

Mutant off_by_one_row(const Tensor& output) {
  return {"off_by_one_row",
          "every row holds the result of the next one",
          k_more_rows,
          "",
          output.shape.empty() ? k_one_element : "",
          [](const MutantLaunch& launch, std::span<std::byte> bytes) {
            const std::size_t step = launch.truth.shape.size() > 1 ? row_length(launch) : 1;
            const std::size_t shift = step * info(launch.output.dtype).size;
            if (shift < bytes.size()) {
              std::rotate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(shift),
                          bytes.end());
            }
          }};
}

Mutant lower_precision(const OpSpec& spec, const Tensor& output) {
  const bool floating = info(output.dtype).floating;
  const auto bits =
      floating ? one_less(declared_significand(spec, output.dtype)) : std::optional<int>();
  return {"lower_precision",
          bits ? fmt::format("results rounded to {} significant bits", *bits)
               : "results rounded to a lower precision",
          k_more_precision,
          "",
          !floating ? "the output holds integers"
          : !bits   ? "no format has fewer bits than the output's"
                    : "",
          [bits](const MutantLaunch& launch, std::span<std::byte> bytes) {
            Elements elements(launch.output.dtype, bytes);
            for (std::size_t index = 0; index < elements.count(); ++index) {
              elements.set(index, cut_significand(launch.truth.values[index], *bits));
            }
          },
          "no result has more bits"};
}

Mutant cut_inputs(const OpSpec& spec, const Tensor& output) {
  const auto bits = cut_of_inputs(spec, output);
  return {"cut_inputs",
          bits ? fmt::format("computed from inputs rounded to {} significant bits", *bits)
               : "computed from inputs of a lower precision",
          k_more_precision,
          "",
          bits ? "" : "no input has bits to lose",
          [bits](const MutantLaunch& launch, std::span<std::byte> bytes) {
            Elements elements(launch.output.dtype, bytes);
            const ReferenceOutput result = launch.cut(*bits);
            for (std::size_t index = 0; index < elements.count(); ++index) {
              elements.set(index, result.values[index]);
            }
          },
          "no result depends on the bits that are cut"};
}

Mutant scaled(const Tensor& output) {
  const DTypeInfo& type = info(output.dtype);
  const double factor = 1.0 + std::max(0.02, 8.0 * type.unit_roundoff);
  return {"scaled",
          fmt::format("every element is {:.2f} times too large", factor),
          "the limits are wider than the declared precision",
          "",
          type.floating ? "" : "the output holds integers",
          [factor](const MutantLaunch& launch, std::span<std::byte> bytes) {
            Elements elements(launch.output.dtype, bytes);
            for (std::size_t index = 0; index < elements.count(); ++index) {
              elements.set(index, factor * launch.truth.values[index]);
            }
          }};
}

// Somewhere in the middle of the range, so that it is neither the tail nor the largest.
Mutant needle() {
  return {"needle",
          "one element in the middle is wrong",
          "the elementwise limit lets a wrong element through: set tolerance.elementwise, or let "
          "the reference give the magnitude of its terms",
          "",
          "",
          [](const MutantLaunch& launch, std::span<std::byte> bytes) {
            Elements elements(launch.output.dtype, bytes);
            const std::size_t index = elements.count() / 2;
            const double value = elements.get(index);
            if (!info(launch.output.dtype).floating) {
              elements.set(index, value == 0.0 ? 1.0 : value - 1.0);
            } else {
              const double rms =
                  std::max(launch.truth.scale.rms, info(launch.output.dtype).unit_roundoff);
              elements.set(index, std::isfinite(value) ? value + rms : 0.0);
            }
          }};
}

void replay(const std::vector<std::byte>& result, std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size() && !result.empty(); at += result.size()) {
    std::copy_n(result.begin(), std::min(result.size(), bytes.size() - at),
                bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

Mutant stale() {
  return {
      "stale",
      "what the case before left",
      "add a second shape to ladder.shapes",
      "",
      "",
      [](const MutantLaunch& launch, std::span<std::byte> bytes) { replay(launch.before, bytes); }};
}

Mutant replayed_shape() {
  return {
      "replayed_shape",
      "right for the first data of a shape, then the same again",
      "the first shape of ladder.smoke gives the same result for all data: name a larger one first",
      "",
      "",
      [](const MutantLaunch& launch, std::span<std::byte> bytes) { replay(launch.first, bytes); }};
}

}  // namespace

std::vector<Mutant> mutants_of(const OpSpec& spec, const Tensor& output) {
  std::vector<Mutant> mutants{zeros(), constant(output), mean(output), row_mean(output),
                              not_a_number(output)};
  for (Mutant& mutant : copied_inputs(spec, output)) mutants.push_back(std::move(mutant));
  mutants.push_back(skipped_tail());
  mutants.push_back(zero_tail());
  mutants.push_back(off_by_one_row(output));
  mutants.push_back(scaled(output));
  mutants.push_back(lower_precision(spec, output));
  mutants.push_back(cut_inputs(spec, output));
  mutants.push_back(needle());
  mutants.push_back(stale());
  mutants.push_back(replayed_shape());
  return mutants;
}

double cut_significand(double value, int bits) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

}  // namespace kernelloop
