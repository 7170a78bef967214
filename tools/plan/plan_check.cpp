#include "plan/launch_rules.hpp"
#include "plan/tensor_map.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

// The value of an expression without names that evaluates.
std::optional<std::int64_t> constant_value(const Expression& expression) {
  if (!expression.names().empty()) return std::nullopt;
  try {
    return expression.evaluate({});
  } catch (const ExpressionError&) {
    return std::nullopt;  // resolve_plan reports it, with the shape
  }
}

bool is_one(const Expression& size) { return constant_value(size) == 1; }

bool is_line(const std::array<Expression, 3>& sizes) {
  return is_one(sizes[1]) && is_one(sizes[2]);
}

KnownLaunch constants_of(const Launch& launch) {
  KnownLaunch known;
  for (std::size_t i = 0; i < known.grid.size(); ++i) {
    known.grid[i] = constant_value(launch.grid[i]);
    known.block[i] = constant_value(launch.block[i]);
    known.cluster[i] = constant_value(launch.cluster[i]);
  }
  known.dynamic_shared_bytes = constant_value(launch.dynamic_shared_bytes);
  return known;
}

}  // namespace

bool has_one_dimension(const LaunchPlan& plan) {
  return std::all_of(plan.launches.begin(), plan.launches.end(), [](const Launch& launch) {
    return is_line(launch.grid) && is_line(launch.block);
  });
}

std::vector<PlanProblem> check_plan(const LaunchPlan& plan, const OpSpec& spec,
                                    const KernelTable& kernels) {
  std::vector<PlanProblem> problems;
  for (const Launch& launch : plan.launches) {
    const KernelInfo* kernel = find_kernel(kernels, launch.kernel);
    if (kernel == nullptr) {
      problems.push_back({missing_kernel(kernels, launch.kernel), launch.line});
      continue;
    }
    for (std::string& fault : argument_faults(launch, spec, *kernel)) {
      problems.push_back({std::move(fault), launch.line});
    }
    for (const std::string& fault :
         launch_faults(constants_of(launch), launch, *kernel, LaunchLimits{})) {
      problems.push_back({"launch of `" + launch.kernel + "`: " + fault, launch.line});
    }
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const auto* map = std::get_if<TensorMapArgument>(&launch.arguments[i]);
      if (map == nullptr) continue;
      const auto value = [](const Expression& one, const std::string&) {
        return constant_value(one);
      };
      for (const std::string& fault : tensor_map_faults(known_map(*map, value), *map)) {
        problems.push_back(
            {fmt::format("launch of `{}`: args[{}]: {}", launch.kernel, i, fault), launch.line});
      }
    }
  }
  return problems;
}

}  // namespace kernelloop
