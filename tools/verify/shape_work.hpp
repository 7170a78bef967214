// What a shape costs, in no unit: only shapes of one version are compared by it.
#pragma once

#include "plan/launch_plan.hpp"
#include "spec/op_spec.hpp"

#include <string>
#include <vector>

namespace kernelloop {

// The elements of all tensors, one operation for each combination of the variable axes (what the
// reference does), and for each thread of `plan` those of one output element: a tile that is mostly
// padding costs an emulation as much as a full one. nullptr: no plan is known.
double work_of(const OpSpec& spec, const LaunchPlan* plan, const Bindings& variables);

// Shapes in the order of their work, until that reaches a budget. What is left out can be told.
class WorkBudget {
 public:
  // Both must outlive it.
  WorkBudget(const OpSpec& spec, const LaunchPlan* plan, double work)
      : spec_(spec), plan_(plan), left_(work) {}

  // Takes it off whatever is left.
  void spend(const Bindings& shape) { left_ -= work_of(spec_, plan_, shape); }

  // The cheapest of `shapes` that fit, which are paid for; the others go to `left_out`.
  std::vector<Bindings> affordable(std::vector<Bindings> shapes, std::vector<Bindings>& left_out);

 private:
  const OpSpec& spec_;
  const LaunchPlan* plan_;
  double left_;
};

}  // namespace kernelloop
