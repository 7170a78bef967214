// The CPU device: runs versions that were built for the host against the emulation layer.
#pragma once

#include "device/device.hpp"

#include <functional>

namespace kernelloop {

// `report` gets a fault that the candidate's process will not survive, right before it ends.
std::unique_ptr<Device> make_cpu_device(std::function<void(const Fault&)> report);

}  // namespace kernelloop
