// Nsight Compute (ncu) over one run of a plan, in a worker of its own.
#pragma once

#include "device/worker_client.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct NcuRun {
  std::filesystem::path ncu;
  std::filesystem::path program;  // kernelloop-device
  std::string device = "cuda";
  const Artifact* artifact = nullptr;
  const RunRequest* request = nullptr;   // the placement is the tool's choice
  std::vector<std::string> variables{};  // NAME=value, which choose the GPU
};

// The program: what KERNELLOOP_NCU names, else from PATH, else from the toolkit's usual places.
// Empty when there is none, or when KERNELLOOP_NCU is "off".
std::filesystem::path find_ncu();

// The command line up to the program to watch. Clocks are left as they are, caches are flushed
// before each pass; only `kernels` are looked at.
std::vector<std::string> ncu_command(const std::filesystem::path& ncu,
                                     const std::filesystem::path& report,
                                     const std::filesystem::path& log,
                                     const std::vector<std::string>& kernels);

// What ncu or the watched process does wrong is a reason in the result; Error(environment) when no
// process can be started.
NcuResult run_under_ncu(const NcuRun& wanted);

}  // namespace kernelloop
