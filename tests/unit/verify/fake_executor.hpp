// A device that runs C++ functions in place of kernels.
#pragma once

#include "verify/executor.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kernelloop {

// One run as the fake kernel sees it: bfloat16 tensors, converted.
struct FakeLaunch {
  const TensorArena& arena;
  const RunRequest& request;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int number = 0;  // of the run, from 0

  [[nodiscard]] std::vector<double> read(const std::string& tensor) const;
  void write(const std::string& tensor, std::int64_t index, double value) const;
};

class FakeExecutor final : public Executor {
 public:
  using Kernel = std::function<RunResult(const FakeLaunch&)>;
  using Tools = std::function<ToolResult(SanitizerTool, const RunRequest&)>;

  // `tools` answers in compute-sanitizer's place; none: there is no such tool.
  FakeExecutor(std::string kind, Kernel kernel, Tools tools = nullptr);
  void set_memory(std::int64_t bytes) { device_.memory_bytes = bytes; }
  const DeviceDescription& device() override { return device_; }
  // Poisons the outputs, then calls the kernel with rows = grid[0] and cols = the first integer
  // argument.
  RunResult run(const RunRequest& request) override;
  ToolResult check(SanitizerTool tool, const RunRequest& request) override;

 private:
  DeviceDescription device_;
  Kernel kernel_;
  Tools tools_;
  int runs_ = 0;
};

}  // namespace kernelloop
