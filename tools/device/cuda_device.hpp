// The CUDA device, through the driver API.
#pragma once

#include "device/device.hpp"

#include <memory>
#include <vector>

namespace kernelloop {

// The first GPU that CUDA_VISIBLE_DEVICES leaves visible. Throws Error(environment) with the reason
// when this program was built without CUDA or the machine has no usable driver or GPU.
std::unique_ptr<Device> make_cuda_device();

// Every GPU that CUDA_VISIBLE_DEVICES leaves visible; throws as above.
std::vector<DeviceDescription> list_cuda_devices();

}  // namespace kernelloop
