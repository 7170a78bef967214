#pragma once

#include "spec/op_spec.hpp"

#include <string>
#include <vector>

namespace kernelloop {

// The names of the axes that a call chooses, in the spec's order.
std::vector<std::string> variable_axes(const OpSpec& spec);

}  // namespace kernelloop
