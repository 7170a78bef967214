// determinism: the same inputs give the same bits, every time. On a GPU whatever the order of
// blocks and warps happens to be; on the CPU device in orders drawn at random.
#include "support/random.hpp"
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

#include <algorithm>

namespace kernelloop {

std::vector<CasePlan> determinism_cases(const RungContext& context) {
  const bool emulated = context.device == "cpu";
  std::vector<Bindings> shapes;
  std::size_t in_full = 0;  // so many of them in all orders
  const auto own = context.spec.ladder.shapes.find("determinism");
  if (own != context.spec.ladder.shapes.end() && !own->second.empty()) {
    shapes = own->second;
    in_full = shapes.size();
  } else {
    for (const std::int64_t size : {129, 1000}) {
      shapes.push_back(friendly_shape(context.spec, context.device, emulated ? size / 8 : size));
    }
    in_full = shapes.size();
    // What runs for long rows, or for some sizes only, may race where the rest does not.
    const std::vector<Bindings> slices = workload_slices(context.spec, context.device);
    if (!slices.empty()) shapes.push_back(slices.back());
    shapes = covering_all_launches(context, std::move(shapes), !emulated);
    // What one row leaves in shared memory may meet the next one of its block.
    for (Bindings& shape : shapes_of_more_rounds(context)) {
      if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) {
        shapes.push_back(std::move(shape));
      }
    }
  }
  std::vector<CasePlan> cases;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    CasePlan plan = shape_case(context, shapes[i], 0);
    plan.same_bits_in_any_order = true;
    const Poison nan;
    const Poison noise = Poison::noise(plan.seed);
    plan.runs = {{nan}, {nan}, {noise}};
    if (emulated) {
      const std::uint64_t schedules = i < in_full ? 6 : 3;
      const RandomStream stream(plan.seed, "orders");
      for (std::uint64_t number = 0; number < schedules; ++number) {
        plan.runs.push_back({number % 2 == 0 ? noise : nan, stream.bits(number) | 1u});
      }
    } else {
      // A launch finds the device as the one before left it: other addresses in between.
      plan.runs.push_back({noise, 0, Placement::fence_end});
      plan.runs.push_back({nan});
      plan.runs.push_back({nan, 0, Placement::least_alignment});
      plan.runs.push_back({nan});
    }
    cases.push_back(std::move(plan));
  }
  return cases;
}

}  // namespace kernelloop
