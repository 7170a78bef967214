// Times the baselines of an op: what a version would have to beat (docs/formats.md,
// baselines.json).
#pragma once

#include "bench/bench.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct BaselinesRequest {
  const OpSpec* spec = nullptr;  // of timing.json
  std::vector<std::filesystem::path> libraries;
  std::string device;               // "cuda" | "cpu"
  std::filesystem::path cache_dir;  // of measured ceilings
  std::uint64_t seed = 0;           // of the inputs
  OutputJudge judge;                // by the reference: a wrong baseline is none
};

// "cub" of ".../baselines/cub.so".
std::string baseline_name(const std::filesystem::path& library);

// A baseline that cannot be loaded, fails or is wrong is a value: status "failed" with the reason.
// Throws Error(bad_input) where two have the same name.
Json bench_baselines(const BaselinesRequest& request, TimingDevice& device);

// A line for each, for people.
std::string baselines_text(const Json& report);

}  // namespace kernelloop
