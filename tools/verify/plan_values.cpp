// Expressions of a plan that shapes decide: what a kernel is told, and where it can tell shapes
// apart by it.
#include "verify/plan_shapes.hpp"
#include "verify/shape_moves.hpp"
#include "verify/shapes.hpp"

#include <algorithm>
#include <map>

namespace kernelloop {

std::vector<const Expression*> PlanShapes::settings_of(const Launch& launch) {
  std::vector<const Expression*> settings{&launch.dynamic_shared_bytes};
  for (const auto* sizes : {&launch.grid, &launch.block, &launch.cluster}) {
    for (const Expression& size : *sizes) settings.push_back(&size);
  }
  for (const Argument& argument : launch.arguments) {
    if (const auto* integer = std::get_if<IntegerArgument>(&argument)) {
      settings.push_back(&integer->value);
    } else if (const auto* workspace = std::get_if<WorkspaceArgument>(&argument)) {
      settings.push_back(&workspace->offset);
    }
  }
  return settings;
}

std::vector<Bindings> PlanShapes::for_every_value(std::vector<Bindings>& left_out) const {
  constexpr std::size_t k_few = 8;  // a size itself, or the blocks that it needs, takes more
  const Bindings least = near(spec_, start_shape(spec_), 1);
  ShapeList list(spec_, element_budget(device_));
  for (const Launch& launch : plan_.launches) {
    for (const Expression* expression : settings_of(launch)) {
      for (const std::string& axis : variables_in(*expression)) {
        std::map<std::int64_t, Bindings> first;  // shape with each value
        const std::int64_t most = std::min(k_searched_sizes, longest_tried(spec_, axis, device_));
        Bindings shape = least;
        for (shape[axis] = 1; shape[axis] <= most && first.size() <= k_few; ++shape[axis]) {
          try {
            const std::int64_t value = expression->evaluate(resolved(shape));
            if (!first.contains(value) && admissible(spec_, shape)) first.emplace(value, shape);
          } catch (const ExpressionError&) {
            // A hole of the plan, which without_sense() finds.
          }
        }
        if (first.size() > k_few) continue;
        for (const auto& [value, where] : first) {
          if (!list.add(where)) left_out.push_back(where);
        }
      }
    }
  }
  return std::move(list).by_size();
}

}  // namespace kernelloop
