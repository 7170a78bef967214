// One timed shape made ready: resolved axes, memory, inputs.
#pragma once

#include "device/worker_client.hpp"
#include "spec/op_spec.hpp"
#include "verify/compiled_version.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kernelloop {

struct WorkloadCase {
  Workload workload;
  Bindings axes;  // resolved
  std::map<std::string, double> scalars;
  std::vector<TensorArena> sets;  // at least one; inputs drawn, each from a seed of its own
};

// How many sets of data a workload is timed on: several where they are cheap to draw, so that no
// launch finds the data of the one before; what L2 cannot hold is gone by itself.
std::size_t data_sets_for(const OpSpec& spec, const Workload& workload, const std::string& device);

// Throws Error(bad_input) for a workload that does not fit the spec, Error(io) when memory is
// short. `memory` is used again, for the first set, where it is large enough.
WorkloadCase prepare_workload(const OpSpec& spec, const Workload& workload,
                              const std::string& device, std::uint64_t seed,
                              std::optional<TensorArena> memory = std::nullopt);

// Memory for the largest of these; nothing when there are none.
std::optional<TensorArena> memory_for(const OpSpec& spec, const std::vector<Workload>& workloads);

// The launches of a version for the case, or why there are none (the candidate's fault).
std::variant<ResolvedPlan, std::string> plan_for(const WorkloadCase& one, const OpSpec& spec,
                                                 const CompiledVersion& compiled,
                                                 const LaunchLimits& limits);

}  // namespace kernelloop
