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

WorkloadCase prepare_workload(const OpSpec& spec, const Workload& workload, std::uint64_t seed,
                              std::optional<TensorArena> memory) {
  Bindings axes = resolve_axes(spec, workload.axes);
  const std::vector<TensorArena::Slot> slots = slots_of(spec, axes);
  if (!memory || !memory->reslice(slots)) {
    memory.reset();  // before the system is asked for more
    memory.emplace(slots);
  }
  TensorArena& arena = *memory;
  draw_inputs(spec, axes, arena, seed);
  std::map<std::string, double> scalars = draw_scalars(spec, axes, workload.scalars, seed);
  return {workload, std::move(axes), std::move(scalars), std::move(*memory)};
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
