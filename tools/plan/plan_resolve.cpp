#include "plan/launch_rules.hpp"
#include "plan/tensor_map.hpp"
#include "spec/names.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace kernelloop {
namespace {

std::string shape_text(const Bindings& axes) {
  std::string text;
  for (const auto& [name, value] : axes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  }
  return text.empty() ? "the only shape" : text;
}

class Resolver {
 public:
  Resolver(const LaunchPlan& plan, const OpSpec& spec, const KernelTable& kernels,
           const Bindings& axes, const std::map<std::string, double>& scalars,
           const LaunchLimits& limits)
      : plan_(plan),
        spec_(spec),
        kernels_(kernels),
        axes_(axes),
        scalars_(scalars),
        limits_(limits) {}

  ResolveResult resolve() {
    resolve_workspace();
    for (const Launch& launch : plan_.launches) {
      if (selected(launch)) resolve_launch(launch);
    }
    check_coverage();
    if (!problems_.empty()) return {std::nullopt, std::move(problems_)};
    return {std::move(resolved_), {}};
  }

 private:
  void wrong(const Launch* launch, const std::string& message) {
    const std::string where =
        launch == nullptr ? std::string() : fmt::format("launch of `{}`: ", launch->kernel);
    problems_.push_back({fmt::format("for {}: {}{}", shape_text(axes_), where, message),
                         launch == nullptr ? 0 : launch->line});
  }

  // The value, or nothing after reporting why there is none.
  std::optional<std::int64_t> value(const Launch* launch, const Expression& expression,
                                    const std::string& what) {
    try {
      return expression.evaluate(axes_);
    } catch (const ExpressionError& error) {
      wrong(launch, what + ": " + describe(error, expression.text()));
      return std::nullopt;
    }
  }

  void resolve_workspace() {
    const auto bytes = value(nullptr, plan_.workspace_bytes, "workspace_bytes");
    if (!bytes) return;
    if (*bytes < 0) {
      wrong(nullptr, fmt::format("workspace_bytes is {} (`{}`); it must not be negative", *bytes,
                                 plan_.workspace_bytes.text()));
      return;
    }
    if (limits_.max_workspace_bytes > 0 && *bytes > limits_.max_workspace_bytes) {
      wrong(nullptr,
            fmt::format("workspace_bytes is {} (`{}`); this device allows {} at most", *bytes,
                        plan_.workspace_bytes.text(), limits_.max_workspace_bytes));
      return;
    }
    resolved_.workspace_bytes = *bytes;
  }

  bool selected(const Launch& launch) {
    if (!launch.when) return true;
    return value(&launch, *launch.when, "when").value_or(0) != 0;
  }

  void resolve_launch(const Launch& launch) {
    ++selected_;
    const KernelInfo* kernel = find_kernel(kernels_, launch.kernel);
    if (kernel == nullptr) {
      wrong(&launch, missing_kernel(kernels_, launch.kernel));
      return;
    }
    KnownLaunch known;
    ResolvedLaunch result;
    result.kernel = launch.kernel;
    result.has_cluster = launch.has_cluster;
    result.cooperative = launch.cooperative;
    result.programmatic_dependent = launch.programmatic_dependent;
    for (std::size_t i = 0; i < known.grid.size(); ++i) {
      known.grid[i] = value(&launch, launch.grid[i], fmt::format("grid[{}]", i));
      known.block[i] = value(&launch, launch.block[i], fmt::format("block[{}]", i));
      known.cluster[i] = value(&launch, launch.cluster[i], fmt::format("cluster[{}]", i));
      result.grid[i] = known.grid[i].value_or(0);
      result.block[i] = known.block[i].value_or(0);
      result.cluster[i] = known.cluster[i].value_or(0);
    }
    known.dynamic_shared_bytes =
        value(&launch, launch.dynamic_shared_bytes, "dynamic_shared_bytes");
    result.dynamic_shared_bytes = known.dynamic_shared_bytes.value_or(0);
    for (const std::string& fault : launch_faults(known, launch, *kernel, limits_)) {
      wrong(&launch, fault);
    }
    resolve_arguments(launch, *kernel, result);
    resolved_.launches.push_back(std::move(result));
  }

  void resolve_arguments(const Launch& launch, const KernelInfo& kernel, ResolvedLaunch& result) {
    const std::vector<std::string> faults = argument_faults(launch, spec_, kernel);
    for (const std::string& fault : faults) wrong(&launch, fault);
    if (!faults.empty()) return;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      result.arguments.push_back(std::visit(
          [&](const auto& argument) {
            return resolve_argument(launch, argument, i, kernel.parameters[i].size);
          },
          launch.arguments[i]));
    }
  }

  ResolvedArgument resolve_argument(const Launch&, const TensorArgument& argument, std::size_t,
                                    std::size_t) {
    ResolvedArgument result;
    result.kind = ResolvedArgument::Kind::tensor;
    result.tensor = argument.tensor;
    written_.push_back(argument.tensor);
    return result;
  }

  ResolvedArgument resolve_argument(const Launch&, const ScalarArgument& argument, std::size_t,
                                    std::size_t) {
    const auto found = scalars_.find(argument.input);
    const Tensor* input = spec_.find_tensor(argument.input);
    if (found == scalars_.end() || input == nullptr) {
      fail(ExitCode::internal, "scalar input `{}` was given no value", argument.input);
    }
    ResolvedArgument result;
    result.bytes.resize(info(input->dtype).size);
    store_element(input->dtype, found->second, result.bytes.data());
    return result;
  }

  ResolvedArgument resolve_argument(const Launch& launch, const IntegerArgument& argument,
                                    std::size_t index, std::size_t size) {
    ResolvedArgument result;
    result.bytes.resize(size);
    const auto number = value(&launch, argument.value, fmt::format("args[{}]", index));
    if (!number) return result;
    if (size == 8) {
      std::memcpy(result.bytes.data(), &*number, size);
      return result;
    }
    if (*number < std::numeric_limits<std::int32_t>::min() ||
        *number > std::numeric_limits<std::int32_t>::max()) {
      wrong(&launch,
            fmt::format("value {} of argument {} (`{}`) does not fit the 4-byte parameter; "
                        "declare it long long",
                        *number, index, argument.value.text()));
      return result;
    }
    const auto narrow = static_cast<std::int32_t>(*number);
    std::memcpy(result.bytes.data(), &narrow, size);
    return result;
  }

  ResolvedArgument resolve_argument(const Launch& launch, const WorkspaceArgument& argument,
                                    std::size_t index, std::size_t) {
    ResolvedArgument result;
    result.kind = ResolvedArgument::Kind::workspace;
    const auto offset = value(&launch, argument.offset, fmt::format("args[{}]", index));
    if (!offset) return result;
    // The end is allowed: a launch may have nothing to do with an empty rest.
    if (*offset < 0 || *offset > resolved_.workspace_bytes) {
      wrong(&launch, fmt::format("argument {} points {} bytes (`{}`) into a workspace of {} bytes "
                                 "(`{}`); enlarge it or correct the offset",
                                 index, *offset, argument.offset.text(), resolved_.workspace_bytes,
                                 plan_.workspace_bytes.text()));
    }
    result.offset = *offset;
    return result;
  }

  ResolvedArgument resolve_argument(const Launch& launch, const TensorMapArgument& argument,
                                    std::size_t index, std::size_t) {
    KnownTensorMap known =
        known_map(argument, [&](const Expression& expression, const std::string& what) {
          return value(&launch, expression, fmt::format("args[{}]: {}", index, what));
        });
    const Tensor* tensor = spec_.find_tensor(argument.tensor);
    known.available_bytes =
        tensor == nullptr
            ? resolved_.workspace_bytes
            : element_count(*tensor, axes_) * static_cast<std::int64_t>(info(tensor->dtype).size);
    for (const std::string& fault : tensor_map_faults(known, argument)) {
      wrong(&launch, fmt::format("args[{}]: {}", index, fault));
    }
    ResolvedArgument result;
    result.kind = ResolvedArgument::Kind::tensor_map;
    result.map = numbers_of(known, argument);
    if (tensor != nullptr) {
      result.tensor = argument.tensor;
      written_.push_back(argument.tensor);
    }
    return result;
  }

  void check_coverage() {
    if (!problems_.empty()) return;
    if (selected_ == 0) {
      wrong(nullptr,
            "no launch is selected, every `when` is 0; add one without `when`, or widen one");
      return;
    }
    for (const Tensor& output : spec_.outputs) {
      if (std::find(written_.begin(), written_.end(), output.name) != written_.end()) continue;
      wrong(nullptr, fmt::format("no selected launch takes the output `{}`, so nothing writes it; "
                                 "see the `when` conditions",
                                 output.name));
    }
  }

  const LaunchPlan& plan_;
  const OpSpec& spec_;
  const KernelTable& kernels_;
  const Bindings& axes_;
  const std::map<std::string, double>& scalars_;
  const LaunchLimits& limits_;
  ResolvedPlan resolved_;
  std::size_t selected_ = 0;
  std::vector<std::string> written_;
  std::vector<PlanProblem> problems_;
};

}  // namespace

ResolveResult resolve_plan(const LaunchPlan& plan, const OpSpec& spec, const KernelTable& kernels,
                           const Bindings& axes, const std::map<std::string, double>& scalars,
                           const LaunchLimits& limits) {
  return Resolver(plan, spec, kernels, axes, scalars, limits).resolve();
}

}  // namespace kernelloop
