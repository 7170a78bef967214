// What can be timed: a version of the op, or a baseline.
#pragma once

#include "bench/workload_case.hpp"
#include "verify/compiled_version.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <variant>

namespace kernelloop {

struct Contestant {
  std::string name;  // "v004", "baseline cub"
  Artifact artifact;
  // The launches for a case, or why there are none.
  std::function<std::variant<ResolvedPlan, std::string>(const WorkloadCase&, const LaunchLimits&)>
      plan;
};

// Both `spec` and `version` must outlive it. Throws Error(bad_input) when there is nothing to run
// on the device.
Contestant contestant_of(const CompiledVersion& version, const OpSpec& spec,
                         const DeviceDescription& device);

// The library of a baseline; `spec` must outlive it.
Contestant baseline_contestant(const std::string& name, const std::filesystem::path& library,
                               const OpSpec& spec);

}  // namespace kernelloop
