#include "bench/workload_case.hpp"

#include "support/error.hpp"
#include "verify/case_data.hpp"
#include "verify/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

void draw_inputs(const OpSpec& spec, const Bindings& axes, const TensorArena& arena,
                 std::uint64_t seed) {
  for (const Tensor& input : spec.inputs) {
    if (input.scalar) {
      continue;
    }
    draw_tensor(input, values_at(input, axes), seed, arena.bytes(input.name), {});
  }
}

}  // namespace

std::optional<TensorArena> memory_for(const OpSpec& spec, const std::vector<Workload>& workloads) {
  std::vector<TensorArena::Slot> largest;
  std::size_t most = 0;
  for (const Workload& workload : workloads) {
    std::vector<TensorArena::Slot> slots = slots_of(spec, resolve_axes(spec, workload.axes));
    const std::size_t bytes = bytes_of(slots);
    if (largest.empty() || bytes > most) {
      largest = std::move(slots);
      most = bytes;
    }
  }
  return largest.empty() ? std::nullopt : std::optional<TensorArena>(largest);
}

std::size_t data_sets_for(const OpSpec& spec, const Workload& workload, const std::string& device) {
  // Every set costs a run of its own, which is slow where it is emulated.
  const std::size_t most = device == "cpu" ? 2 : TimeRequest::k_most_data_sets;
  constexpr std::size_t k_drawn_bytes = std::size_t{128} << 20;
  const std::size_t bytes = bytes_of(slots_of(spec, resolve_axes(spec, workload.axes)));
  return std::clamp<std::size_t>(k_drawn_bytes / std::max<std::size_t>(bytes, 1), 1, most);
}

WorkloadCase prepare_workload(const OpSpec& spec, const Workload& workload,
                              const std::string& device, std::uint64_t seed,
                              std::optional<TensorArena> memory) {
  Bindings axes = resolve_axes(spec, workload.axes);
  const std::vector<TensorArena::Slot> slots = slots_of(spec, axes);
  if (!memory || !memory->reslice(slots)) {
    memory.reset();  // before the system is asked for more
    memory.emplace(slots);
  }
  WorkloadCase one{workload, std::move(axes), {}, {}};
  one.scalars = draw_scalars(spec, one.axes, workload.scalars, seed);
  one.sets.push_back(std::move(*memory));
  while (one.sets.size() < data_sets_for(spec, workload, device)) one.sets.emplace_back(slots);
  for (std::size_t set = 0; set < one.sets.size(); ++set) {
    draw_inputs(spec, one.axes, one.sets[set], seed + set);
  }
  return one;
}

std::variant<ResolvedPlan, std::string> plan_for(const WorkloadCase& one, const OpSpec& spec,
                                                 const CompiledVersion& compiled,
                                                 const LaunchLimits& limits) {
  ResolveResult result =
      resolve_plan(compiled.plan, spec, compiled.kernels, one.axes, one.scalars, limits);
  if (result.plan) {
    return std::move(*result.plan);
  }
  return result.problems.empty() ? std::string("the launch plan gives no launch")
                                 : result.problems.front().message;
}

}  // namespace kernelloop
