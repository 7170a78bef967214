// The test kernels: built when needed, loaded, launched.
#pragma once

#include "cpu/cpu_build.hpp"
#include "kernelloop/cpu/abi.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop::testing {

// A request for kernels/<name>.cu with the compiler and headers of this build.
CpuBuildRequest request_for(const std::string& name, const std::filesystem::path& output);

// The shared object of kernels/<name>.cu in the build tree. Built anew when older than its source,
// the emulation layer or this program; kept otherwise, since every test is a process of its own.
std::filesystem::path built_kernels(const std::string& name, bool sanitize = false);

struct LaunchShape {
  std::uint64_t grid[3] = {1, 1, 1};
  std::uint64_t block[3] = {1, 1, 1};
  std::size_t dynamic_shared_bytes = 0;
  std::uint64_t seed = 0;
  std::uint64_t noise = 0;
};
LaunchShape shape(std::uint64_t grid, std::uint64_t block, std::size_t dynamic_shared_bytes = 0,
                  std::uint64_t seed = 0);

struct LaunchResult {
  KernelLoopCpuStatus status = KERNELLOOP_CPU_OK;
  std::string message;
};

class CpuModule {
 public:
  explicit CpuModule(const std::filesystem::path& library);
  ~CpuModule();
  CpuModule(const CpuModule&) = delete;
  CpuModule& operator=(const CpuModule&) = delete;

  // Arguments must have the types of the kernel's parameters; their sizes are checked.
  template <typename... Arguments>
  LaunchResult launch(const std::string& kernel, const LaunchShape& launch_shape,
                      Arguments... arguments) const {
    std::vector<void*> pointers = {&arguments...};
    return launch_with(kernel, launch_shape, pointers, {sizeof(Arguments)...});
  }

  [[nodiscard]] const KernelLoopCpuModule& table() const { return *module_; }

 private:
  [[nodiscard]] LaunchResult launch_with(const std::string& kernel, const LaunchShape& launch_shape,
                                         const std::vector<void*>& arguments,
                                         const std::vector<std::size_t>& sizes) const;

  void* library_ = nullptr;
  const KernelLoopCpuModule* module_ = nullptr;
};

}  // namespace kernelloop::testing
