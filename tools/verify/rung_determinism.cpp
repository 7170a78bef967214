// determinism: the same inputs give the same bits, every time.
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

namespace kernelloop {

std::vector<CasePlan> determinism_cases(const RungContext& context) {
  constexpr std::size_t k_repeats = 4;
  std::vector<CasePlan> cases;
  for (const std::int64_t size : {129, 1000}) {
    const bool emulated = context.device == "cpu";
    const Bindings shape = friendly_shape(context.spec, context.device, emulated ? size / 8 : size);
    CasePlan plan = shape_case(context, shape, 0);
    plan.runs.assign(k_repeats, CaseRun{});
    cases.push_back(std::move(plan));
  }
  return cases;
}

}  // namespace kernelloop
