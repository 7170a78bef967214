// holdout: shapes that no prompt ever shows. Their verdicts carry neither axes nor data.
#include "verify/rung.hpp"

#include <fmt/format.h>

namespace kernelloop {

std::vector<CasePlan> holdout_cases(const RungContext& context) {
  std::vector<CasePlan> cases;
  for (const Bindings& shape : context.spec.ladder.holdout) {
    CasePlan plan = shape_case(context, shape, 0);
    plan.name = fmt::format("holdout {}", cases.size() + 1);
    plan.hidden = true;
    cases.push_back(std::move(plan));
  }
  return cases;
}

}  // namespace kernelloop
