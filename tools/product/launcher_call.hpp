// The function that launches one version: the private half of a generated source.
#pragma once

#include "product/launcher_source.hpp"

#include <string>

namespace kernelloop {

// C++ text that follows `k_image` and `struct Axes` in the version's namespace: the tables k_needs
// and k_targets, the KernelSet `kernels`, and the functions `supports`, `workspace_of`, `call`.
// Throws Error(bad_input) when the plan does not fit the kernels.
std::string call_text(const OpSpec& spec, const ShippedVersion& version);

}  // namespace kernelloop
