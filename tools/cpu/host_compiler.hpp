// The host compiler as the CPU device uses it: its options and its sanitizer.
#pragma once

#include "cpu/cpu_build.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

class HostCompiler {
 public:
  struct Outcome {
    bool succeeded = false;
    bool timed_out = false;
    std::string messages;
  };

  // Throws Error(environment) when the program is not there or is no g++ or clang++.
  explicit HostCompiler(const CpuBuildRequest& request);

  // source → preprocessed text with line markers.
  Outcome preprocess(const std::filesystem::path& output) const;
  // Rewritten preprocessed text → shared object that exports the module function only.
  Outcome build(const std::filesystem::path& input, const std::filesystem::path& exports,
                const std::filesystem::path& output) const;

 private:
  Outcome invoke(std::vector<std::string> arguments, const std::filesystem::path& output) const;

  const CpuBuildRequest& request_;
  bool clang_ = false;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace kernelloop
