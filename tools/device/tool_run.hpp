// One correctness run in a worker that a tool of compute-sanitizer watches.
#pragma once

#include "device/worker_client.hpp"

#include <filesystem>
#include <string>

namespace kernelloop {

struct ToolRun {
  std::filesystem::path tool_program;  // compute-sanitizer
  std::filesystem::path program;       // kernelloop-device
  std::string device = "cuda";
  SanitizerTool tool = SanitizerTool::memcheck;
  const Artifact* artifact = nullptr;
  const RunRequest* request = nullptr;   // placement and poison are the tool's choice
  std::vector<std::string> variables{};  // NAME=value, which choose the GPU
};

// What the tool or the watched process does wrong is a reason in the result; Error(environment)
// when no process can be started.
ToolResult run_under_tool(const ToolRun& wanted);

}  // namespace kernelloop
