// shapes: ones, primes, around warps and tiles, odd, huge; one for every launch of the plan, around
// the numbers that stand in it, and in the gaps between all these.
#include "verify/plan_shapes.hpp"
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

#include <algorithm>

namespace kernelloop {

std::vector<CasePlan> shapes_cases(const RungContext& context) {
  constexpr int k_schedules = 1;
  constexpr std::size_t k_around = 24;
  constexpr std::size_t k_senseless = 2;
  const OpSpec& spec = context.spec;
  std::vector<Bindings> shapes = covering_all_launches(
      context, edge_shapes(spec, context.device, context.seeds.next()), false);
  std::vector<CasePlan> cases;
  for (const Bindings& shape : shapes) cases.push_back(shape_case(context, shape, k_schedules));

  // What a size does to indices and tails shows in one run; poisons and schedules have had theirs.
  const auto add = [&](const std::vector<Bindings>& more) {
    for (const Bindings& shape : more) {
      if (std::find(shapes.begin(), shapes.end(), shape) != shapes.end()) continue;
      shapes.push_back(shape);
      cases.push_back(shape_case(context, shape, 0));
      cases.back().runs.resize(1);
    }
  };
  add(covering_all_launches(context, shapes, true));
  if (context.plan != nullptr) {
    const PlanShapes searched(spec, *context.plan, context.device);
    add(searched.without_sense(k_senseless));
    add(searched.around_constants(k_around, context.seeds.next()));
  }
  add(gap_shapes(spec, context.device, shapes, context.seeds.next()));
  return cases;
}

}  // namespace kernelloop
