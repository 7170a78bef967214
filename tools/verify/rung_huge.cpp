// huge: more elements than 32 bits count, for ops that say along which axis their data may repeat.
#include "verify/rung.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

// Elements of one period, about; what the reference has to do.
constexpr std::int64_t k_period_elements = std::int64_t{1} << 19;

// Indices in one period: 16 times an odd number. So every period starts where vector loads can,
// and none starts where an index that has lost its upper bits would find its like.
std::int64_t period_of(const OpSpec& spec, const HugeShapes& huge, const Bindings& shape) {
  const Bindings axes = resolve_axes(spec, shape);
  std::int64_t most = 1;
  for (const Tensor& output : spec.outputs) {
    most = std::max(most, element_count(output, axes) / shape.at(huge.axis));
  }
  const std::int64_t units = std::max<std::int64_t>(3, k_period_elements / most / 16);
  return 16 * (units | 1);
}

}  // namespace

std::vector<CasePlan> huge_cases(const RungContext& context) {
  std::vector<CasePlan> cases;
  const auto& huge = context.spec.ladder.huge;
  // An emulation would take hours.
  if (!huge || context.device == "cpu") return cases;
  for (const Bindings& shape : huge->shapes) {
    const std::int64_t whole = shape.at(huge->axis);
    Bindings period = shape;
    period[huge->axis] = std::min(whole, period_of(context.spec, *huge, shape));
    CasePlan plan = shape_case(context, shape, 0);
    plan.variables = period;
    plan.repetition = Repetition{huge->axis, whole};
    plan.runs = {CaseRun{}};
    cases.push_back(std::move(plan));
  }
  return cases;
}

}  // namespace kernelloop
