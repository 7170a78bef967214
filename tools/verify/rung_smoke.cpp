// smoke: small friendly shapes that any kernel should get right, the first of them once more with
// other data: whatever a kernel kept from the first time is wrong then.
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

namespace kernelloop {

std::vector<CasePlan> smoke_cases(const RungContext& context) {
  constexpr int k_schedules = 3;
  constexpr std::int64_t k_size = 64;
  std::vector<CasePlan> cases;
  const auto own = context.spec.ladder.shapes.find("smoke");
  if (own != context.spec.ladder.shapes.end() && !own->second.empty()) {
    for (const Bindings& shape : own->second) {
      cases.push_back(shape_case(context, shape, k_schedules));
    }
  } else {
    const Bindings shape = friendly_shape(context.spec, context.device, k_size);
    cases.push_back(shape_case(context, shape, k_schedules));
  }
  CasePlan again = shape_case(context, cases.front().variables, 0);
  again.name += ", other data";
  cases.push_back(std::move(again));
  return cases;
}

}  // namespace kernelloop
