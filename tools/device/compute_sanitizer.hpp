// NVIDIA's compute-sanitizer: where it is, and what its reports say.
//
// A run of the tool that silently did nothing must not pass. So behind the candidate's launch a
// kernel of our own is launched that has a fault planted for this tool, and a report without that
// fault says nothing about the candidate.
#pragma once

#include "device/worker_client.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// Kernels of the harness begin so; no candidate's may.
inline constexpr std::string_view k_harness_kernel_prefix = "kernelloop_";

// The kernel with the fault for a tool: "kernelloop_planted_memcheck".
std::string planted_kernel(SanitizerTool tool);

// One finding about device code.
struct ToolFinding {
  std::string what;    // "Invalid __global__ write of size 4 bytes"
  std::string kernel;  // without its parameters
  std::string place;   // "kernel.cu:16"; empty when the code carries no lines
  std::string thread;  // "thread (104,0,0) in block (7,0,0)"; empty where the tool names none
  std::string more;    // "is 1 bytes after the nearest allocation at 0x7f... of size 4000 bytes"
  std::string other;   // racecheck: the access it collides with
  std::uint64_t allocation = 0;  // the address in `more`; 0: none
  bool misaligned = false;
};

struct ToolReport {
  bool started = false;   // it has the tool's head line
  bool finished = false;  // it has a summary
  std::vector<ToolFinding> findings;
  std::string
      complaint;  // the first line that is no finding, and that speaks of the tool's trouble
};

// Reads the text that --log-file receives.
ToolReport read_tool_report(std::string_view log);

// What the report of a run says about the candidate. `addresses` (of tensors, by name) turns
// allocations into names.
ToolResult judge_tool_report(SanitizerTool tool, const ToolReport& report,
                             const std::map<std::string, std::uint64_t>& addresses);

// The program: from PATH, else from the toolkit's usual places. Empty when there is none.
std::filesystem::path find_compute_sanitizer();

// "2025.3.1.0"; empty when the program does not answer as compute-sanitizer does.
std::string compute_sanitizer_version(const std::filesystem::path& program);

// The tool's command line up to the program it is to watch. Only `kernels` and the planted one are
// looked at.
std::vector<std::string> compute_sanitizer_command(const std::filesystem::path& program,
                                                   SanitizerTool tool,
                                                   const std::filesystem::path& log,
                                                   const std::vector<std::string>& kernels);

}  // namespace kernelloop
