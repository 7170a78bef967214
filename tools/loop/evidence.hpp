// What the steps wrote about one version, and the one record that history keeps of it.
#pragma once

#include "config/op_config.hpp"
#include "loop/history.hpp"

#include <optional>

namespace kernelloop {

// The JSON of each step; null where a step was not asked for.
struct VersionEvidence {
  int version = 0;
  Json proposed;
  Json compiled;
  Json verified;
  Json measured;
  Json origin;  // of the version itself; null for a version somebody wrote by hand without one
  Json profiled = nullptr;  // counters; null on the CPU device

  // No version was made: the loop had stopped before.
  [[nodiscard]] bool stopped() const;
};

// Reads <build_dir>/vNNN/*.json and <generated>/<op>/vNNN/origin.json. Throws Error(bad_input).
VersionEvidence load_evidence(const OpConfig& config, int version);

// Only what the harness measured decides; the origin contributes names and spending.
VersionRecord record_of(const VersionEvidence& evidence, int round);

// What <build_dir>/baselines.json says; empty when the op has none. Throws Error(bad_input).
std::vector<BaselineRecord> load_baselines(const OpConfig& config);

// The device that verified it; nothing when no device step ran.
struct DeviceName {
  std::string kind;
  std::string name;
};
std::optional<DeviceName> device_of(const VersionEvidence& evidence);

}  // namespace kernelloop
