#include "verify/repeated_case.hpp"

#include "support/parallel.hpp"
#include "verify/output_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace kernelloop {
namespace {

Bindings whole_axes(const OpSpec& spec, const CaseData& period, const Repetition& repetition) {
  Bindings variables;
  for (const Axis& axis : spec.axes) {
    if (axis.kind == Axis::Kind::variable) variables[axis.name] = period.axes().at(axis.name);
  }
  variables[repetition.axis] = repetition.whole;
  return resolve_axes(spec, variables);
}

std::size_t bytes_of(const Tensor& tensor, const Bindings& axes) {
  return static_cast<std::size_t>(element_count(tensor, axes)) * info(tensor.dtype).size;
}

void repeat(std::span<const std::byte> pattern, std::span<std::byte> target) {
  const std::size_t periods = (target.size() + pattern.size() - 1) / pattern.size();
  detail::parallel_for(static_cast<std::int64_t>(periods), core_count(), [&](std::int64_t number) {
    const std::size_t at = static_cast<std::size_t>(number) * pattern.size();
    std::memcpy(target.data() + at, pattern.data(), std::min(pattern.size(), target.size() - at));
  });
}

// The bytes of one period in a tensor of the whole; less at its end.
std::span<std::byte> period_in(std::span<std::byte> whole, std::size_t size, std::int64_t number) {
  const std::size_t begin = static_cast<std::size_t>(number) * size;
  return whole.subspan(begin, std::min(size, whole.size() - begin));
}

}  // namespace

RepeatedCase::RepeatedCase(const OpSpec& spec, CaseData& period, Repetition repetition)
    : spec_(spec),
      period_(period),
      repetition_(std::move(repetition)),
      axes_(whole_axes(spec, period, repetition_)),
      arena_(slots_of(spec, axes_)) {
  for (const Tensor& input : spec.inputs) {
    if (input.scalar || bytes_of(input, axes_) == 0) continue;
    repeat(period.arena().bytes(input.name), arena_.bytes(input.name));
  }
}

bool RepeatedCase::same_as_first(std::int64_t number) const {
  return std::all_of(spec_.outputs.begin(), spec_.outputs.end(), [&](const Tensor& output) {
    const std::size_t size = bytes_of(output, period_.axes());
    const std::span<std::byte> whole = arena_.bytes(output.name);
    const std::span<std::byte> part = period_in(whole, size, number);
    return std::memcmp(part.data(), whole.data(), part.size()) == 0;
  });
}

void RepeatedCase::fetch(std::int64_t number) const {
  for (const Tensor& output : spec_.outputs) {
    const std::size_t size = bytes_of(output, period_.axes());
    const std::span<std::byte> part = period_in(arena_.bytes(output.name), size, number);
    // A last period that is cut off leaves the end as the first period has it, which is right.
    std::memcpy(period_.arena().bytes(output.name).data(), part.data(), part.size());
  }
}

std::vector<OutputVerdict> RepeatedCase::judge(
    const std::map<std::string, ReferenceOutput>& expected, const Poison& poison) {
  const std::int64_t length = period_.axes().at(repetition_.axis);
  const auto judged = [&](std::int64_t number) {
    fetch(number);
    return judge_outputs(spec_, period_.axes(), period_.traits(), period_.arena(), expected,
                         poison);
  };
  std::vector<OutputVerdict> first = judged(0);
  const std::int64_t periods = (repetition_.whole + length - 1) / length;
  std::vector<char> alike(static_cast<std::size_t>(periods));
  detail::parallel_for(periods, core_count(), [&](std::int64_t number) {
    alike[static_cast<std::size_t>(number)] = same_as_first(number) ? 1 : 0;
  });
  const auto wrong = [](const std::vector<OutputVerdict>& outputs) {
    return std::any_of(outputs.begin(), outputs.end(),
                       [](const OutputVerdict& output) { return !output.passed; });
  };
  for (std::int64_t number = 1; !wrong(first) && number < periods; ++number) {
    if (alike[static_cast<std::size_t>(number)] != 0) continue;
    fetch(0);
    std::vector<OutputVerdict> outputs = judged(number);
    if (!wrong(outputs)) continue;
    for (OutputVerdict& output : outputs) {
      if (output.passed) continue;
      const std::int64_t row =
          element_count(*spec_.find_tensor(output.name), axes_) / repetition_.whole;
      output.pattern = fmt::format(
          "right for the first {} of '{}', wrong from {} of {} on, that is from element {} of '{}' "
          "(do indices fit into 32 bits?); counted from there: {}",
          number * length, repetition_.axis, number * length, repetition_.whole,
          number * length * row, output.name, output.pattern);
    }
    return outputs;
  }
  return first;
}

}  // namespace kernelloop
