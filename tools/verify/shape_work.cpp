#include "verify/shape_work.hpp"

#include "verify/shape_moves.hpp"

#include <algorithm>
#include <utility>

namespace kernelloop {
namespace {

double threads_of(const LaunchPlan& plan, const Bindings& axes) {
  double threads = 0.0;
  for (const Launch& launch : plan.launches) {
    try {
      if (launch.when && launch.when->evaluate(axes) == 0) continue;
      double own = 1.0;
      for (const auto* sizes : {&launch.grid, &launch.block}) {
        for (const Expression& size : *sizes) {
          if (!size.text().empty()) own *= static_cast<double>(size.evaluate(axes));
        }
      }
      threads += own;
    } catch (const ExpressionError&) {
      // The plan's fault, which ends the case before anything runs.
    }
  }
  return threads;
}

}  // namespace

double work_of(const OpSpec& spec, const LaunchPlan* plan, const Bindings& variables) {
  const Bindings axes = resolve_axes(spec, variables);
  double operations = 1.0;
  for (const auto& [name, size] : variables) operations *= static_cast<double>(size);
  double results = 1.0;
  for (const Tensor& output : spec.outputs) {
    double count = 1.0;
    for (const std::int64_t size : shape_of(output, axes)) count *= static_cast<double>(size);
    results = std::max(results, count);
  }
  const double threads = plan == nullptr ? 0.0 : threads_of(*plan, axes);
  return static_cast<double>(elements_of(spec, variables)) + operations +
         threads * std::max(1.0, operations / results);
}

std::vector<Bindings> WorkBudget::affordable(std::vector<Bindings> shapes,
                                             std::vector<Bindings>& left_out) {
  std::vector<std::pair<double, Bindings>> by_work;
  for (Bindings& shape : shapes) {
    const double work = work_of(spec_, plan_, shape);
    by_work.emplace_back(work, std::move(shape));
  }
  std::stable_sort(by_work.begin(), by_work.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Bindings> taken;
  for (auto& [work, shape] : by_work) {
    const bool fits = work <= left_;
    if (fits) left_ -= work;
    (fits ? taken : left_out).push_back(std::move(shape));
  }
  return taken;
}

}  // namespace kernelloop
