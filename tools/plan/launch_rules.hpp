// The rules of a launch that hold for constants (check_plan) as for resolved numbers
// (resolve_plan).
#pragma once

#include "plan/launch_plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

// A launch whose numbers are known where they are set.
struct KnownLaunch {
  std::array<std::optional<std::int64_t>, 3> grid;
  std::array<std::optional<std::int64_t>, 3> block;
  std::array<std::optional<std::int64_t>, 3> cluster;
  std::optional<std::int64_t> dynamic_shared_bytes;
};

// What is wrong with it, each as "grid[0] is 0; ...". `launch` gives the expressions for messages.
std::vector<std::string> launch_faults(const KnownLaunch& known, const Launch& launch,
                                       const KernelInfo& kernel, const LaunchLimits& limits);

// The kernel of that name; null when there is none.
const KernelInfo* find_kernel(const KernelTable& kernels, const std::string& name);
// "there is no kernel `x`; did you mean ...", or what a mangled name means.
std::string missing_kernel(const KernelTable& kernels, const std::string& name);

// Count and size of the arguments against the kernel's parameters.
std::vector<std::string> argument_faults(const Launch& launch, const OpSpec& spec,
                                         const KernelInfo& kernel);

// An argument as the plan writes it.
std::string argument_text(const Argument& argument);

}  // namespace kernelloop
