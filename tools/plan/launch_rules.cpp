#include "plan/launch_rules.hpp"

#include "support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

constexpr std::int64_t k_static_shared_limit = std::int64_t{48} * 1024;
constexpr std::int64_t k_cluster_limit = 8;  // what every device with clusters takes

using Known = std::array<std::optional<std::int64_t>, 3>;

std::string with_formula(std::int64_t value, const Expression& expression) {
  const std::string text = std::to_string(value);
  return expression.text() == text ? text : fmt::format("{} (`{}`)", text, expression.text());
}

// The product where all three are known; they are at most 2^31 each and checked before.
std::optional<std::int64_t> product(const Known& known) {
  std::int64_t result = 1;
  for (const auto& value : known) {
    if (!value || __builtin_mul_overflow(result, *value, &result)) return std::nullopt;
  }
  return result;
}

class Faults {
 public:
  Faults(const KnownLaunch& known, const Launch& launch, const KernelInfo& kernel,
         const LaunchLimits& limits)
      : known_(known), launch_(launch), kernel_(kernel), limits_(limits) {}

  std::vector<std::string> all() {
    dimensions("grid", known_.grid, launch_.grid, limits_.max_grid,
               "use a grid-stride loop or put the large dimension into grid[0]");
    dimensions("block", known_.block, launch_.block, limits_.max_block, "use a smaller block");
    if (!faults_.empty()) return std::move(faults_);  // what follows would only repeat it
    block_size();
    required_block();
    cluster();
    shared_memory();
    return std::move(faults_);
  }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    faults_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  void dimensions(std::string_view what, const Known& known,
                  const std::array<Expression, 3>& expressions,
                  const std::array<std::int64_t, 3>& limits, std::string_view remedy) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (!known[i]) continue;
      const std::string value = with_formula(*known[i], expressions[i]);
      if (*known[i] < 1) {
        add("{}[{}] is {}; it must be at least 1", what, i, value);
      } else if (*known[i] > limits[i]) {
        add("{}[{}] is {}, the limit is {}; {}", what, i, value, limits[i], remedy);
      }
    }
  }

  void block_size() {
    const auto threads = product(known_.block);
    if (!threads) return;
    if (*threads > limits_.max_threads_per_block) {
      add("the block has {} threads, the device allows {}; use a smaller block", *threads,
          limits_.max_threads_per_block);
    } else if (*threads > kernel_.max_threads_per_block) {
      add("the block has {} threads, kernel `{}` is compiled for at most {}; use a smaller block "
          "or "
          "raise its __launch_bounds__",
          *threads, kernel_.name, kernel_.max_threads_per_block);
    }
  }

  void required_block() {
    if (!kernel_.required_block) return;
    const auto& required = *kernel_.required_block;
    for (std::size_t i = 0; i < required.size(); ++i) {
      if (!known_.block[i] || *known_.block[i] == required[i]) continue;
      add("block[{}] is {}, kernel `{}` requires a block of {} x {} x {}; use just that", i,
          with_formula(*known_.block[i], launch_.block[i]), kernel_.name, required[0], required[1],
          required[2]);
    }
  }

  void cluster() {
    if (!launch_.has_cluster) return;
    const std::array<std::int64_t, 3> limits{k_cluster_limit, k_cluster_limit, k_cluster_limit};
    const std::size_t before = faults_.size();
    dimensions("cluster", known_.cluster, launch_.cluster, limits, "use a smaller cluster");
    if (faults_.size() != before) return;
    const auto blocks = product(known_.cluster);
    if (blocks && *blocks > k_cluster_limit) {
      add("the cluster has {} blocks, the limit is {}; use a smaller cluster", *blocks,
          k_cluster_limit);
    }
    for (std::size_t i = 0; i < known_.grid.size(); ++i) {
      if (!known_.grid[i] || !known_.cluster[i] || *known_.grid[i] % *known_.cluster[i] == 0) {
        continue;
      }
      add("grid[{}] is {}, which is no multiple of cluster[{}] = {}; round it up, as in "
          "ceil_div(n, {}) * {}",
          i, with_formula(*known_.grid[i], launch_.grid[i]), i, *known_.cluster[i],
          *known_.cluster[i], *known_.cluster[i]);
    }
  }

  void shared_memory() {
    if (kernel_.static_shared_bytes > k_static_shared_limit) {
      add("kernel `{}` has {} bytes of static shared memory, the limit is {}; use dynamic shared "
          "memory (extern __shared__) for the rest",
          kernel_.name, kernel_.static_shared_bytes, k_static_shared_limit);
    }
    if (!known_.dynamic_shared_bytes) return;
    const std::int64_t dynamic = *known_.dynamic_shared_bytes;
    const std::string value = with_formula(dynamic, launch_.dynamic_shared_bytes);
    if (dynamic < 0) {
      add("dynamic_shared_bytes is {}; it must not be negative", value);
    } else if (dynamic > limits_.max_shared_bytes - kernel_.static_shared_bytes) {
      add("dynamic_shared_bytes is {} beside {} bytes of static shared memory, the device allows "
          "{} "
          "in all; use less, or another launch for such shapes (`when`)",
          value, kernel_.static_shared_bytes, limits_.max_shared_bytes);
    }
  }

  const KnownLaunch& known_;
  const Launch& launch_;
  const KernelInfo& kernel_;
  const LaunchLimits& limits_;
  std::vector<std::string> faults_;
};

std::string size_fault(const Argument& argument, const OpSpec& spec, std::size_t size) {
  if (std::holds_alternative<IntegerArgument>(argument)) {
    if (size == 4 || size == 8) return {};
    return fmt::format(
        "is an integer of 4 or 8 bytes, the parameter has {}; declare it int or "
        "long long",
        size);
  }
  if (const auto* scalar = std::get_if<ScalarArgument>(&argument)) {
    const Tensor* input = spec.find_tensor(scalar->input);
    if (input == nullptr || info(input->dtype).size == size) return {};
    const DTypeInfo& type = info(input->dtype);
    return fmt::format("is a {} of {} byte{}, the parameter has {}; declare it {}", type.name,
                       type.size, type.size == 1 ? "" : "s", size, type.cuda_type);
  }
  if (std::holds_alternative<TensorMapArgument>(argument)) {
    if (size == k_tensor_map_bytes) return {};
    return fmt::format(
        "is a tensor map of {} bytes, the parameter has {}; declare it const __grid_constant__ "
        "CUtensorMap",
        k_tensor_map_bytes, size);
  }
  if (size == 8) return {};
  return fmt::format("is a pointer of 8 bytes, the parameter has {}; declare it as a pointer",
                     size);
}

}  // namespace

std::vector<std::string> launch_faults(const KnownLaunch& known, const Launch& launch,
                                       const KernelInfo& kernel, const LaunchLimits& limits) {
  return Faults(known, launch, kernel, limits).all();
}

const KernelInfo* find_kernel(const KernelTable& kernels, const std::string& name) {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelInfo& kernel) { return kernel.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

std::string missing_kernel(const KernelTable& kernels, const std::string& name) {
  if (kernels.empty()) {
    return fmt::format(
        "there is no kernel `{}`; the source defines none: declare it extern \"C\" "
        "__global__",
        name);
  }
  std::vector<std::string> names;
  const std::string mangled_part = std::to_string(name.size()) + name;
  for (const KernelInfo& kernel : kernels) {
    if (kernel.name.compare(0, 2, "_Z") == 0 &&
        kernel.name.find(mangled_part) != std::string::npos) {
      return fmt::format("kernel `{}` is compiled under the C++ name `{}`; declare it extern \"C\"",
                         name, kernel.name);
    }
    names.push_back(kernel.name);
  }
  return fmt::format("there is no kernel `{}`; {}", name, name_hint(name, names));
}

std::vector<std::string> argument_faults(const Launch& launch, const OpSpec& spec,
                                         const KernelInfo& kernel) {
  if (launch.arguments.size() != kernel.parameters.size()) {
    return {
        fmt::format("kernel `{}` takes {} parameter{}, the plan passes {}; make `args` match "
                    "the kernel's parameter list",
                    kernel.name, kernel.parameters.size(), kernel.parameters.size() == 1 ? "" : "s",
                    launch.arguments.size())};
  }
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const std::string fault = size_fault(launch.arguments[i], spec, kernel.parameters[i].size);
    if (fault.empty()) continue;
    faults.push_back(fmt::format("argument {} (`{}`) of kernel `{}`, counted from 0, {}", i,
                                 argument_text(launch.arguments[i]), kernel.name, fault));
  }
  return faults;
}

}  // namespace kernelloop
