// Kernels that the plan cannot name because the compiler mangled them.
#pragma once

#include "compile/problem.hpp"
#include "plan/launch_plan.hpp"

#include <functional>
#include <vector>

namespace kernelloop {

struct NamedKernels {
  KernelTable table;  // with mangled kernels under the name by which the plan means them
  std::vector<Problem> problems;  // tell to use extern "C"
};

// A mangled kernel that the plan launches by its plain name is an error, and is put into the table
// under that name so that its arguments are checked all the same; another is a warning. `plan` may
// be null. `line_of` says where a kernel stands in the source.
NamedKernels name_kernels(const KernelTable& kernels, const LaunchPlan* plan,
                          const std::function<std::size_t(const std::string&)>& line_of);

}  // namespace kernelloop
