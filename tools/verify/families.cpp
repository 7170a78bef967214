#include "verify/families.hpp"

#include "verify/drawn_elements.hpp"
#include "verify/family_draws.hpp"
#include "verify/inputs.hpp"

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

bool is_float_tensor(const Tensor& tensor) { return !tensor.scalar && info(tensor.dtype).floating; }

double center_of(const InputValues& values) {
  if (values.family == "normal") return values.mean;
  if (values.family == "constant") return values.value;
  return (values.low + values.high) / 2.0;
}

double spread_of(const InputValues& values) {
  if (values.family == "normal") return values.deviation;
  if (values.family == "constant") return values.value == 0.0 ? 1.0 : std::fabs(values.value);
  const double width = (values.high - values.low) / std::sqrt(12.0);
  return width > 0.0 ? width : 1.0;
}

// Elements of that magnitude can be multiplied in pairs and summed up in the accumulation type.
double safe_limit(const OpSpec& spec, const Tensor& tensor, const Bindings& axes) {
  const DTypeInfo& accumulate = info(spec.precision.accumulate);
  const double largest = accumulate.floating ? accumulate.largest : info(DType::float32).largest;
  const double safe = std::sqrt(largest / term_count(spec, axes)) / 4.0;
  return std::min(safe, info(tensor.dtype).largest / 2.0);
}

// What the input, the accumulation and every floating output can hold, and room for factors up
// to 4.
double top_limit(const OpSpec& spec, const Tensor& tensor) {
  double largest = info(tensor.dtype).largest;
  const DTypeInfo& accumulate = info(spec.precision.accumulate);
  if (accumulate.floating) largest = std::min(largest, accumulate.largest);
  for (const Tensor& output : spec.outputs) {
    if (info(output.dtype).floating) largest = std::min(largest, info(output.dtype).largest);
  }
  return largest / 4.0;
}

// The largest integer of the exact rung; below 1 it is the share of elements that are not 0.
double exact_limit(const OpSpec& spec, const Bindings& axes) {
  double significand = 1.0 / info(spec.precision.accumulate).unit_roundoff;
  for (const Tensor& output : spec.outputs) {
    const DTypeInfo& type = info(output.dtype);
    if (type.floating) significand = std::min(significand, 1.0 / type.unit_roundoff);
  }
  // The standard deviation of an integer from -m to m is sqrt(m (m + 1) / 3).
  const double root = std::sqrt(term_count(spec, axes));
  for (const double largest : {8.0, 4.0, 2.0, 1.0}) {
    const double variance = largest * (largest + 1.0) / 3.0;
    if (5.0 * root * variance <= significand) return largest;
  }
  return std::min(1.0, significand / (5.0 * root * 2.0 / 3.0));
}

FamilyDraw draw_context(const OpSpec& spec, const Tensor& tensor, const Bindings& axes,
                        const InputFamily& family, std::uint64_t seed) {
  const InputValues values = values_at(tensor, axes);
  const std::vector<std::int64_t> shape = shape_of(tensor, axes);
  const std::int64_t cols = std::max<std::int64_t>(1, shape.empty() ? 1 : shape.back());
  const bool flushes =
      spec.precision.denormals == Precision::Denormals::may_flush && floor_of(tensor.dtype).flushes;
  return {tensor.dtype,
          values,
          center_of(values),
          spread_of(values),
          element_count(tensor, axes) / cols,
          cols,
          &family == &exact_integers() ? exact_limit(spec, axes) : safe_limit(spec, tensor, axes),
          top_limit(spec, tensor),
          floor_of(tensor.dtype).smallest_normal,
          flushes,
          RandomStream(seed, tensor.name)};
}

// Into the range that the spec declares: mirrored at zero where that helps, else cut.
double within(const InputValues& values, double value) {
  const double low = values.at_least.value_or(-HUGE_VAL);
  const double high = values.at_most.value_or(HUGE_VAL);
  if (!std::isfinite(value) || (value >= low && value <= high)) return value;
  if (-value >= low && -value <= high) return -value;
  return std::clamp(value, low, high);
}

// Whether the spec's own values of every floating tensor lie evenly around zero.
bool symmetric(const OpSpec& spec) {
  return std::all_of(spec.inputs.begin(), spec.inputs.end(), [](const Tensor& input) {
    if (!is_float_tensor(input)) return true;
    const InputValues& values = input.values;
    if (values.low_formula || values.high_formula || values.special_share > 0.0) return false;
    return values.family != "constant" && center_of(values) == 0.0;
  });
}

// In an eighth of the elements and the second half of the rows, where the spec lets there be any: 0
// times infinity is NaN, also where a whole tile is 0.
void put_zeros(const Tensor& tensor, const Bindings& axes, std::uint64_t seed,
               std::span<std::byte> bytes, std::span<double> exact) {
  constexpr double k_share = 0.125;
  if (within(tensor.values, 0.0) != 0.0) return;
  const RandomStream stream(seed, tensor.name + ".zeros");
  const std::vector<std::int64_t> shape = shape_of(tensor, axes);
  const std::int64_t cols = std::max<std::int64_t>(1, shape.empty() ? 1 : shape.back());
  const std::int64_t rows = element_count(tensor, axes) / cols;
  DrawnElements(tensor.dtype, bytes, exact).overwrite(0.0, [&](std::int64_t index) {
    const bool of_a_whole_row = 2 * (index / cols) > rows;
    return of_a_whole_row || stream.uniform(static_cast<std::uint64_t>(index)) < k_share;
  });
}

}  // namespace

double FamilyDraw::own(std::int64_t index) const {
  if (values.family == "constant") return values.value;
  const auto position = static_cast<std::uint64_t>(index);
  if (values.family == "normal") {
    // As exact as the spec's own values are drawn (inputs.cpp).
    const double normal =
        type == DType::float64 ? stream.normal<double>(position) : stream.normal<float>(position);
    return values.mean + values.deviation * normal;
  }
  if (values.family == "integers") {
    const double steps = std::floor(values.high) - std::ceil(values.low) + 1.0;
    return std::ceil(values.low) + std::floor(steps * stream.uniform(position));
  }
  return values.low + (values.high - values.low) * stream.uniform(position);
}

double FamilyDraw::uniform(std::int64_t index, std::uint64_t draw) const {
  constexpr std::uint64_t k_elsewhere = std::uint64_t{1} << 48;
  return stream.uniform(k_elsewhere + static_cast<std::uint64_t>(index) * 4 + draw);
}

std::int64_t FamilyDraw::needle_of(std::int64_t row) const {
  if (!places.empty()) return places[static_cast<std::size_t>(row / 2) % places.size()] % cols;
  constexpr std::int64_t k_draws = std::int64_t{1} << 40;  // no element's own
  constexpr std::int64_t k_turns = 6;
  const auto drawn = [&](std::int64_t count, std::uint64_t draw) {
    return static_cast<std::int64_t>(uniform(k_draws + row, draw) * static_cast<double>(count));
  };
  switch (row == rows - 1 ? 2 : row % k_turns) {
    case 0:
      return 0;
    case 1:
      return cols / 2;
    case 2:
      return cols - 1;
    case 3:  // in the tail
      return std::max<std::int64_t>(0, cols - 2 - drawn(16, 0));
    case 4: {  // beside a multiple of a power of two, where parts of a row meet
      const std::int64_t part = std::int64_t{32} << drawn(9, 0);
      const std::int64_t place = part * (1 + drawn(std::max<std::int64_t>(1, cols / part), 1));
      return std::clamp<std::int64_t>(place - 1 + drawn(3, 2), 0, cols - 1);
    }
    default:
      return drawn(cols, 0);
  }
}

bool FamilyDraw::is_needle(std::int64_t index) const {
  return column(index) == needle_of(row(index));
}

bool FamilyDraw::is_chosen(std::int64_t index) const {
  constexpr std::int64_t k_apart = -1;  // no element's own draws
  const double place = uniform(k_apart) * static_cast<double>(rows) * static_cast<double>(cols);
  return index == static_cast<std::int64_t>(place);
}

bool draws_input(const InputFamily& family, const Tensor& tensor) {
  if (tensor.scalar) return false;
  if (family.where == InputFamily::Where::integers) {
    const InputValues& values = tensor.values;
    return !info(tensor.dtype).floating && values.family == "integers";
  }
  if (!is_float_tensor(tensor)) return false;
  if (family.when == InputFamily::When::ends_declared && !tensor.values.at_least &&
      !tensor.values.at_most) {
    return false;
  }
  if (family.when == InputFamily::When::nonfinite_propagates &&
      !floor_of(tensor.dtype).has_infinity) {
    return false;
  }
  if (!tensor.values.families || &family == &exact_integers()) return true;
  const auto& chosen = *tensor.values.families;
  return std::find(chosen.begin(), chosen.end(), family.name) != chosen.end();
}

bool applies(const InputFamily& family, const OpSpec& spec) {
  // Results near the limit go beyond it by chance.
  const bool reaches_infinity = family.when == InputFamily::When::nonfinite_propagates ||
                                family.when == InputFamily::When::linear;
  if (reaches_infinity && spec.precision.nonfinite == Precision::Nonfinite::undefined) return false;
  return std::any_of(spec.inputs.begin(), spec.inputs.end(),
                     [&](const Tensor& tensor) { return draws_input(family, tensor); });
}

std::vector<FamilyChoice> family_choices(const OpSpec& spec) {
  std::vector<FamilyChoice> choices;
  for (const InputFamily& family : input_families()) {
    if (!applies(family, spec)) continue;
    if (family.where != InputFamily::Where::one_float) {
      choices.push_back({&family, ""});
      continue;
    }
    for (const Tensor& tensor : spec.inputs) {
      if (draws_input(family, tensor)) choices.push_back({&family, tensor.name});
    }
  }
  return choices;
}

DataTraits traits_of(const InputFamily* family, const OpSpec& spec) {
  DataTraits traits;
  traits.random_signs = (family == nullptr || family->traits.scales_own) && symmetric(spec);
  if (family == nullptr) return traits;
  traits.amplification = family->traits.amplification;
  traits.rounds_one_way = family->traits.rounds_one_way;
  if (family->draw == family_draws::shifted) {
    for (const Tensor& input : spec.inputs) {
      if (!draws_input(*family, input)) continue;
      traits.amplification =
          std::max(traits.amplification, family_draws::farthest_shift(input.dtype));
    }
  }
  traits.exact = family == &exact_integers();
  traits.free_where_undefined = family->when != InputFamily::When::nonfinite_propagates;
  return traits;
}

void draw_input(const OpSpec& spec, const Tensor& tensor, const Bindings& axes,
                const FamilyChoice& choice, std::uint64_t seed, std::span<std::byte> bytes,
                std::span<double> exact) {
  const InputFamily* family = choice.family;
  const bool chosen = choice.input.empty() || choice.input == tensor.name;
  if (family == nullptr || !chosen || !draws_input(*family, tensor)) {
    draw_tensor(tensor, values_at(tensor, axes), seed, bytes, exact);
    if (family != nullptr && family->traits.zeros_beside && !chosen &&
        draws_input(*family, tensor)) {
      put_zeros(tensor, axes, seed, bytes, exact);
    }
    return;
  }
  FamilyDraw context = draw_context(spec, tensor, axes, *family, seed);
  context.places = choice.places;
  DrawnElements(tensor.dtype, bytes, exact).fill_each([&](std::int64_t index) {
    return within(context.values, family->draw(context, index));
  });
}

}  // namespace kernelloop
