// huge: more elements than 32 bits count, for ops that say along which axis their data may repeat.
#include "verify/repetition.hpp"
#include "verify/rung.hpp"

namespace kernelloop {

std::vector<CasePlan> huge_cases(const RungContext& context) {
  std::vector<CasePlan> cases;
  const auto& huge = context.spec.ladder.huge;
  // An emulation would take hours.
  if (!huge || context.device == "cpu") return cases;
  for (const Bindings& shape : huge->shapes) {
    CasePlan plan = shape_case(context, shape, 0);
    repeat(context.spec, huge->axis, plan);
    plan.runs = {CaseRun{}};
    cases.push_back(std::move(plan));
  }
  return cases;
}

}  // namespace kernelloop
