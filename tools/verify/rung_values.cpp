// values: input families that make mistakes show, at small shapes.
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

#include <fmt/format.h>

namespace kernelloop {

std::vector<CasePlan> values_cases(const RungContext& context) {
  std::vector<CasePlan> cases;
  for (const Bindings& shape : value_shapes(context.spec, context.device, "values")) {
    for (const InputFamily& family : input_families()) {
      if (!applies(family, context.spec)) continue;
      CasePlan plan = shape_case(context, shape, 0);
      plan.name = fmt::format("{} at {}", family.name, plan.name);
      plan.family = &family;
      // The shapes are those of other rungs, which look for what depends on the poison.
      plan.runs.resize(1);
      cases.push_back(std::move(plan));
    }
  }
  return cases;
}

}  // namespace kernelloop
