#include "compile/kernel_names.hpp"

#include "compile/ptx.hpp"
#include "support/demangle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace kernelloop {
namespace {

// "scale" for "void ns::scale<float>(float*)" and "scale(float*)".
std::string plain_name(std::string_view signature) {
  std::size_t end = std::min(signature.find_first_of("<("), signature.size());
  signature = signature.substr(0, end);
  const std::size_t start = signature.find_last_of(" :");
  return std::string(start == std::string_view::npos ? signature : signature.substr(start + 1));
}

bool launches(const LaunchPlan* plan, const std::string& kernel) {
  return plan != nullptr &&
         std::any_of(plan->launches.begin(), plan->launches.end(),
                     [&](const Launch& launch) { return launch.kernel == kernel; });
}

}  // namespace

NamedKernels name_kernels(const KernelTable& kernels, const LaunchPlan* plan,
                          const std::function<std::size_t(const std::string&)>& line_of) {
  NamedKernels result;
  for (const KernelInfo& kernel : kernels) {
    const std::string signature = demangled(kernel.name);
    result.table.push_back(kernel);
    if (signature == kernel.name || launches(plan, kernel.name)) continue;
    const std::string plain = plain_name(signature);
    Problem problem;
    problem.kind = Problem::Kind::plan;
    problem.line = line_of(kernel.name);
    if (launches(plan, plain)) {
      result.table.back().name = plain;
      problem.message = fmt::format(
          "the plan launches '{}', but the compiler knows it only as {}; declare it extern \"C\" "
          "__global__ (for a template: an extern \"C\" kernel for each instantiation)",
          plain, signature);
    } else {
      problem.severity = Problem::Severity::warning;
      problem.message = fmt::format(
          "kernel {} is not declared extern \"C\", so no plan can launch it by its name",
          signature);
    }
    result.problems.push_back(std::move(problem));
  }
  return result;
}

}  // namespace kernelloop
