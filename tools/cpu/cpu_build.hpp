// Builds a version's source for the CPU device: the same .cu file, rewritten where C++ needs it,
// compiled by the host compiler against the emulation layer (include/kernelloop/cpu/).
#pragma once

#include "cpu/module_rules.hpp"
#include "plan/launch_plan.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

struct CpuBuildRequest {
  std::filesystem::path source;       // kernel.cu
  std::filesystem::path output;       // kernel.cpu.so; written only when built
  std::filesystem::path include_dir;  // holds kernelloop/cpu/...
  std::filesystem::path compiler;     // a C++20 g++ or clang++
  std::vector<std::string> defines;   // "NAME=value"
  std::vector<std::string> include_dirs;
  bool sanitize = false;  // AddressSanitizer and UndefinedBehaviorSanitizer
  std::chrono::milliseconds timeout{60000};
};

struct CpuBuildResult {
  enum class Status { built, failed, not_runnable };
  Status status = Status::failed;
  std::string reason;       // not_runnable: the construct and its line
  std::string diagnostics;  // the compiler's messages, with the lines of `source`
  KernelTable kernels;      // built: names and parameter sizes
  // failed: what a version must not have, with the line of the source (module_rules.hpp)
  std::vector<BrokenRule> broken_rules;
};

// A source that does not compile or uses what the emulation lacks is a value. Throws
// Error(environment) when there is no host compiler or no emulation layer in `include_dir`, and
// Error(io) when the source can't be read or the output not written.
//
// Nothing of the candidate runs here: parameter sizes are read from the built file as data.
CpuBuildResult build_for_cpu(const CpuBuildRequest& request);

// How to run a version that was built with `sanitize`
//
// The program that loads it isn't itself built with AddressSanitizer, and the sanitizer's runtime
// must come before everything else in the process. So the worker must
//   - be started with the variables below: LD_PRELOAD brings the runtime in first (loaded with
//     dlopen alone, it ends the process at once);
//   - give every buffer of the launch a malloc (or posix_memalign) of just its size, since it is
//     the preloaded malloc that puts guards round a block: no arena, no mmap, no rounding up;
//   - expect the process to end with k_sanitizer_exit_code after a finding, the report, with file
//     and line of the kernel's source, on standard error ("ERROR: AddressSanitizer: ..." or
//     "kernel.cu:12:5: runtime error: ...").
// The worker may only load, launch and end. Leaks are not reported.
std::map<std::string, std::string> sanitizer_environment(const std::filesystem::path& compiler);

constexpr int k_sanitizer_exit_code = 86;

// The shared AddressSanitizer runtime that belongs to a g++ or clang++. Throws Error(environment)
// when the compiler has none installed.
std::filesystem::path asan_runtime(const std::filesystem::path& compiler);

}  // namespace kernelloop
