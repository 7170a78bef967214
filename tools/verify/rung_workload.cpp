// workload: the shapes that are timed on this device.
#include "verify/repetition.hpp"
#include "verify/rung.hpp"

namespace kernelloop {

std::vector<CasePlan> workload_cases(const RungContext& context) {
  std::vector<CasePlan> cases;
  for (const Workload& workload : context.spec.workloads_for(context.device)) {
    CasePlan plan = shape_case(context, workload.axes, 0);
    plan.name = workload.name;
    plan.scalars = workload.scalars;
    repeat_if_large(context.spec, plan);
    cases.push_back(std::move(plan));
  }
  return cases;
}

}  // namespace kernelloop
