// sanitizer: the four tools of compute-sanitizer, each in a worker of its own. A run takes one to
// three seconds, whatever the shape: one for the plan, and as many more as its launches need.
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

#include <fmt/format.h>

namespace kernelloop {

std::vector<CasePlan> sanitizer_cases(const RungContext& context) {
  std::vector<CasePlan> cases;
  if (context.device != "cuda") return cases;
  constexpr std::int64_t k_size = 129;  // several warps, several blocks, one beyond a tile
  const std::vector<Bindings> shapes = covering_all_launches(
      context, {friendly_shape(context.spec, context.device, k_size)}, context.device != "cpu");
  for (const SanitizerTool tool : {SanitizerTool::memcheck, SanitizerTool::initcheck,
                                   SanitizerTool::racecheck, SanitizerTool::synccheck}) {
    std::vector<Bindings> own = shapes;
    if (tool == SanitizerTool::racecheck) {
      for (Bindings& shape : shapes_of_more_rounds(context)) own.push_back(std::move(shape));
    }
    for (const Bindings& shape : own) {
      CasePlan plan = shape_case(context, shape, 0);
      plan.name = fmt::format("{} {}", name_of(tool), plan.name);
      plan.tool = tool;
      cases.push_back(std::move(plan));
    }
  }
  return cases;
}

}  // namespace kernelloop
