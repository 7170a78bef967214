// Runs nvcc on a version and tells the version's faults from those of the machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct NvccJob {
  std::filesystem::path nvcc;
  std::filesystem::path source;  // absolute
  std::string architecture;      // "90a"
  std::vector<std::string> options;
  std::vector<std::filesystem::path> include_dirs;
  std::filesystem::path work_dir;            // exists, empty, ours; everything is written here
  std::chrono::milliseconds timeout{60000};  // CPU time of each process; ten times that on the wall
  std::size_t output_limit = 4u << 20;
};

struct NvccRun {
  enum class Outcome {
    accepted,
    rejected,  // its messages say why
    crashed,   // a tool of the compiler died of this source; `crash` says how
    timed_out,
  };
  Outcome outcome = Outcome::rejected;
  std::string messages;  // of all tools, as printed
  bool truncated = false;
  std::string crash;
  std::filesystem::path cubin;  // accepted
  std::filesystem::path ptx;    // when the front end got that far
  // Files read besides the source, without those of the toolkit and the system; sorted.
  std::vector<std::filesystem::path> dependencies;
};

// Throws Error(environment) when nvcc cannot be started or fails for reasons of its own, Error(io)
// when the disk is full, Error(bad_input) when it refuses the options or the architecture.
NvccRun run_nvcc(const NvccJob& job);

// "nvcc 13.0.88". Throws Error(environment) when the program does not start or is no nvcc.
std::string nvcc_version(const std::filesystem::path& nvcc);

// "90a" from "90a", "sm_90a", "compute_90a" or "90a-real". Throws Error(bad_input) for others.
std::string normal_architecture(const std::string& architecture);

}  // namespace kernelloop
