// Devices of other classes than the one that drives the loop: versions are judged there too, and
// what ships for an architecture is chosen by times of its own devices.
#pragma once

#include "config/op_config.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kernelloop {

// The operator as a device of this class sees it: with its launcher, and results of its own. Throws
// Error(usage) when the config has no launcher for it.
OpConfig for_class(const OpConfig& config, const std::string& architecture);

// Runs a step of kernelloop-device ("verify", "bench") of a version; `seen` is for_class's. Throws
// Error(environment) or what the launcher's exit code says when it does not come to an end.
using FleetStep = std::function<void(const OpConfig& seen, const std::string& step, int version)>;

// Verifies and times on one device of the class every version that the loop's own device verified
// and timed, unless that was done already with the source and the rules of today. A line for each.
// Throws Error(environment) when the launcher leads to a device of another class.
std::vector<std::string> judge_on_class(const OpConfig& config, const std::string& architecture,
                                        const FleetStep& run_step);

// Runs `<launcher> kernelloop-device <step>`.
FleetStep device_fleet_step();

}  // namespace kernelloop
