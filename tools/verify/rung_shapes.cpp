// shapes: ones, primes, around warps and tiles, odd, huge; and one for every launch of the plan.
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

namespace kernelloop {

std::vector<CasePlan> shapes_cases(const RungContext& context) {
  constexpr int k_schedules = 1;
  std::vector<CasePlan> cases;
  for (const Bindings& shape : covering_all_launches(
           context, edge_shapes(context.spec, context.device, context.seeds.next()))) {
    cases.push_back(shape_case(context, shape, k_schedules));
  }
  return cases;
}

}  // namespace kernelloop
