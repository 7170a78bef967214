// The arguments of a resolved launch against the parameters of the loaded kernel.
#pragma once

#include "plan/launch_plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace kernelloop {

// What does not fit, in words that say what to change in the plan; empty when all fits.
std::string parameter_problem(const ResolvedLaunch& launch, const std::vector<std::size_t>& sizes);

}  // namespace kernelloop
