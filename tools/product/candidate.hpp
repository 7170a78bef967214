// A version that may be adopted: verified and measured here and now, from the source as it stands.
#pragma once

#include "config/op_config.hpp"
#include "support/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

// What the steps wrote about a version in this build; null where a step was not run.
struct StepFiles {
  Json compiled;
  Json verified;
  Json measured;
};

struct Candidate {
  int number = 0;
  std::string version;  // "v004"
  StepFiles files;
  std::string source_sha256;
  std::string device_kind;
  std::string device_name;
  std::string architecture;  // of the cubin that was measured; empty on the CPU device
  double time_us = 0;
  std::optional<double> sol;
};

// A version of the build directory: a candidate, or why it is none (in words that follow "v004 ").
struct Examined {
  std::string version;
  bool built = false;      // its compile step ran here, with the source as it stands
  bool disproved = false;  // it was, and does not compile, is wrong or cannot run
  std::optional<Candidate> candidate;
  std::string reason;
};

// Looks at one version for the config's device. Throws Error(bad_input) for broken step files.
Examined examine(const OpConfig& config, int number);

// Every version that has a directory under <generated>/<op>, in order.
std::vector<Examined> examine_all(const OpConfig& config);

// The candidate with the least time; the earlier one of equals; nullptr when there is none. Throws
// Error(check_failed) when they were measured on different devices.
const Candidate* fastest(const OpConfig& config, const std::vector<Examined>& versions);

}  // namespace kernelloop
