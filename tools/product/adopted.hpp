// adopted.json: which version of an operator ships, per architecture (docs/formats.md).
#pragma once

#include "config/op_config.hpp"
#include "support/json.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace kernelloop {

struct AdoptedVersion {
  std::string version;  // "v004"
  std::string source_sha256;
  std::string device_kind;  // "cuda" | "cpu"
  std::string device_name;  // "NVIDIA H200"
  std::string evidence;     // from the parent of the reports directory: "reports/softmax/x.json"
  std::string evidence_sha256;
  double time_us = 0;         // of the weighted mean over the workloads, on that device
  std::optional<double> sol;  // none on the CPU device
  int rules = 0;              // of the verification

  bool operator==(const AdoptedVersion&) const = default;
};

struct Adopted {
  std::string op;
  std::map<std::string, AdoptedVersion> architectures;  // by name: "90a"

  // An entry whose evidence comes from a GPU; nullptr when there is none.
  [[nodiscard]] const AdoptedVersion* on_gpu() const;
};

// Nothing when the file is missing. Throws Error(bad_input) "path:line:column: ..." when it is
// broken: it is committed, so a merge may have damaged it.
std::optional<Adopted> read_adopted(const std::filesystem::path& path);

Json to_json(const Adopted& adopted);

// Where an `evidence` member points.
std::filesystem::path evidence_path(const OpConfig& config, const std::string& evidence);

// The `evidence` member for a device: "<reports>/<op>/<slug>.json".
std::string evidence_name(const OpConfig& config, const std::string& device_kind,
                          const std::string& device_name);

// "NVIDIA H200" -> "nvidia-h200"; every CPU device is "cpu".
std::string device_slug(const std::string& device_kind, const std::string& device_name);

}  // namespace kernelloop
