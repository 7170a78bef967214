// The command of a step that needs the device, as everybody who runs one starts it.
#pragma once

#include "config/op_config.hpp"

#include <string>
#include <vector>

namespace kernelloop {

// The launcher's words, the device program, the step and its options.
std::vector<std::string> device_step(const OpConfig& config, const std::string& step,
                                     const std::vector<std::string>& options);

}  // namespace kernelloop
