// memory: stray reads and writes. Tensors lie against inaccessible memory at either end, then at
// the declared alignment and no better; inputs are mapped for reading only where the device can.
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

std::vector<Bindings> memory_shapes(const RungContext& context) {
  const auto own = context.spec.ladder.shapes.find("memory");
  if (own != context.spec.ladder.shapes.end() && !own->second.empty()) return own->second;
  // Small, in the midst of a tile and one beyond it: whole tiles hide a forgotten bound.
  std::vector<Bindings> shapes;
  for (const std::int64_t size : {1, 33, 129}) {
    Bindings shape = friendly_shape(context.spec, context.device, size);
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) {
      shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

}  // namespace

std::vector<CasePlan> memory_cases(const RungContext& context) {
  std::vector<CasePlan> cases;
  for (const Bindings& shape :
       covering_all_launches(context, memory_shapes(context), context.device != "cpu")) {
    CasePlan plan = shape_case(context, shape, 0);
    const Poison noise = Poison::noise(plan.seed);
    plan.runs = {{Poison(), 0, Placement::margins},
                 {noise, 0, Placement::margins},
                 {Poison(), 0, Placement::fence_end},
                 {noise, 0, Placement::fence_begin},
                 {Poison(), 0, Placement::least_alignment}};
    cases.push_back(std::move(plan));
  }
  return cases;
}

}  // namespace kernelloop
