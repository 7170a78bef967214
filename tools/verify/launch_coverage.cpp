#include "plan/launch_plan.hpp"
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

bool selects(const OpSpec& spec, const Launch& launch, const Bindings& shape) {
  if (!launch.when) return true;
  try {
    return launch.when->evaluate(resolve_axes(spec, shape)) != 0;
  } catch (const ExpressionError&) {
    return false;  // the plan's fault, which shows when it is resolved
  }
}

}  // namespace

std::vector<Bindings> covering_all_launches(const RungContext& context,
                                            std::vector<Bindings> shapes) {
  if (context.plan == nullptr) return shapes;
  constexpr std::uint64_t k_seed = 1;  // the random ones among them need not be new
  std::vector<Bindings> more;          // of either kind from small to large
  for (const Launch& launch : context.plan->launches) {
    const auto selected = [&](const Bindings& shape) {
      return selects(context.spec, launch, shape);
    };
    if (std::any_of(shapes.begin(), shapes.end(), selected)) continue;
    if (more.empty()) {
      more = edge_shapes(context.spec, context.device, k_seed);
      const std::vector<Bindings> round = round_shapes(context.spec, context.device);
      more.insert(more.end(), round.begin(), round.end());
    }
    const auto found = std::find_if(more.begin(), more.end(), selected);
    if (found != more.end()) shapes.push_back(*found);
  }
  return shapes;
}

}  // namespace kernelloop
