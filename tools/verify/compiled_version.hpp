// What compile.json says about a version, as far as running it needs.
#pragma once

#include "device/worker_client.hpp"
#include "plan/launch_plan.hpp"
#include "support/json.hpp"
#include "verify/instruction_rules.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace kernelloop {

struct CompiledVersion {
  enum class Status { compiled, failed, stopped, duplicate };
  std::string op;
  std::string version;
  Status status = Status::failed;
  std::string reason;  // why it is not compiled; the first problem when compile.json gives none
  std::string source_sha256;
  LaunchPlan plan;                  // when compiled
  KernelTable kernels;              // when compiled
  InstructionVerdict instructions;  // when compiled: what the op's precision says about them
  // When compiled: what the kernels may compare sizes with (compile/numbers.hpp).
  std::set<std::int64_t> numbers;

  // The artefact for one device kind.
  enum class Availability { built, failed, not_runnable };
  Availability availability = Availability::failed;
  std::string artifact_reason;                          // unless built
  Artifact artifact;                                    // when built; of several cubins, the first
  std::map<std::string, std::filesystem::path> cubins;  // cuda: by architecture, "90a"
};

// The artefact for a device: the cubin that suits its architecture. Throws Error(bad_input) when
// the version was compiled for other GPUs.
Artifact artifact_for(const CompiledVersion& version, const DeviceDescription& device);

// Throws Error(bad_input) naming the member when the file is not a compile.json of this op.
CompiledVersion load_compiled_version(const std::filesystem::path& path, const OpSpec& spec,
                                      const std::string& device);

}  // namespace kernelloop
