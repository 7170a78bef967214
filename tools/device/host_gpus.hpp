// Which GPUs of this host a step may choose from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

struct HostGpus {
  // To choose from, by UUID and in this order: of one model, so that any serves as well as another.
  // Empty where there is no choice: one GPU or none, or the driver tells too little.
  std::vector<std::string> uuids;
  // The user left several visible by numbers, whose meaning the driver alone knows.
  bool ask_driver = false;
};

// `driver_files` is what the driver tells in /proc/driver/nvidia, `visible` the value of
// CUDA_VISIBLE_DEVICES. A GPU that the latter leaves out is never chosen.
HostGpus host_gpus(const std::filesystem::path& driver_files,
                   const std::optional<std::string>& visible);

// Names separated by commas, without blanks around them; an empty one is left out.
std::vector<std::string> names_in(const std::string& list);

// What is left to choose from of devices as `kernelloop-device list --json` has them.
std::vector<std::string> gpus_in_list(const std::string& list);

}  // namespace kernelloop
