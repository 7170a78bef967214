#include "verify/repetition.hpp"

#include <algorithm>
#include <cstdint>

namespace kernelloop {
namespace {

// Elements of one period, about; what the reference has to do.
constexpr std::int64_t k_period_elements = std::int64_t{1} << 19;
constexpr std::int64_t k_long_period_elements = std::int64_t{1} << 21;

// Indices in one period: 16 times an odd number. So every period starts where vector loads can,
// and none starts where an index that has lost its upper bits would find its like.
std::int64_t period_of(const OpSpec& spec, const std::string& axis, const Bindings& shape,
                       std::int64_t elements) {
  const Bindings axes = resolve_axes(spec, shape);
  std::int64_t most = 1;
  for (const Tensor& output : spec.outputs) {
    most = std::max(most, element_count(output, axes) / shape.at(axis));
  }
  const std::int64_t units = std::max<std::int64_t>(3, elements / most / 16);
  return std::min(shape.at(axis), 16 * (units | 1));
}

void repeat(const OpSpec& spec, const std::string& axis, std::int64_t elements, CasePlan& plan) {
  const std::int64_t whole = plan.variables.at(axis);
  plan.variables[axis] = period_of(spec, axis, plan.variables, elements);
  plan.repetition = Repetition{axis, whole};
}

// Where the period is shorter than the whole, and the spec names an axis.
void repeat_if_shorter(const OpSpec& spec, std::int64_t elements, CasePlan& plan) {
  if (!spec.ladder.huge) return;
  CasePlan repeated = plan;
  repeat(spec, spec.ladder.huge->axis, elements, repeated);
  if (repeated.variables != plan.variables) plan = std::move(repeated);
}

}  // namespace

void repeat(const OpSpec& spec, const std::string& axis, CasePlan& plan) {
  repeat(spec, axis, k_period_elements, plan);
}

void repeat_if_dear(const OpSpec& spec, CasePlan& plan) {
  constexpr double k_dear = 0x1p28;  // combinations of the axes; a tenth of a second on 16 cores
  double combinations = 1.0;
  for (const auto& [axis, size] : plan.variables) combinations *= static_cast<double>(size);
  if (combinations >= k_dear) repeat_if_shorter(spec, k_period_elements, plan);
}

void repeat_if_large(const OpSpec& spec, CasePlan& plan) {
  constexpr double k_large = 0x1p24;  // bytes as the candidate sees them; nine times that in all
  const Bindings axes = resolve_axes(spec, plan.variables);
  const double bytes = total_bytes(spec.inputs, axes) + total_bytes(spec.outputs, axes);
  if (bytes >= k_large) repeat_if_shorter(spec, k_long_period_elements, plan);
}

}  // namespace kernelloop
