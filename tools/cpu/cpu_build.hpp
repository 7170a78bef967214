// Builds a version's source for the CPU device: the same .cu file, rewritten where C++ needs it,
// compiled by the host compiler against the emulation layer (include/kernelloop/cpu/).
#pragma once

#include "plan/launch_plan.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct CpuBuildRequest {
  std::filesystem::path source;         // kernel.cu
  std::filesystem::path output;         // kernel.cpu.so; written only when built
  std::filesystem::path include_dir;    // holds kernelloop/cpu/...
  std::filesystem::path compiler;       // a C++20 g++ or clang++
  std::vector<std::string> defines;     // "NAME=value"
  bool sanitize = false;                // AddressSanitizer and UndefinedBehaviorSanitizer
  std::chrono::milliseconds timeout{60000};
};

struct CpuBuildResult {
  enum class Status { built, failed, not_runnable };
  Status status = Status::failed;
  std::string reason;                   // not_runnable: the construct and its line
  std::string diagnostics;              // the compiler's messages, with the lines of `source`
  KernelTable kernels;                  // built: names and parameter sizes
};

// A source that does not compile or uses what the emulation lacks is a value. Throws
// Error(environment) when there is no host compiler.
CpuBuildResult build_for_cpu(const CpuBuildRequest& request);

}  // namespace kernelloop
