#include "bench/workload_case.hpp"

#include "support/error.hpp"
#include "verify/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

std::size_t bytes_of(const Tensor& tensor, const Bindings& axes) {
  return static_cast<std::size_t>(element_count(tensor, axes)) * info(tensor.dtype).size;
}

TensorArena make_arena(const OpSpec& spec, const Bindings& axes) {
  std::vector<TensorArena::Slot> slots;
  for (const Tensor& input : spec.inputs) {
    if (!input.scalar) {
      slots.push_back({input.name, bytes_of(input, axes), false});
    }
  }
  for (const Tensor& output : spec.outputs) {
    slots.push_back({output.name, bytes_of(output, axes), true});
  }
  return TensorArena(slots);
}

void draw_inputs(const OpSpec& spec, const Bindings& axes, const TensorArena& arena,
                 std::uint64_t seed) {
  for (const Tensor& input : spec.inputs) {
    if (input.scalar) {
      continue;
    }
    const std::span<std::byte> bytes = arena.bytes(input.name);
    const MemoryBlock exact(bytes.size() / info(input.dtype).size * sizeof(double),
                            MemoryBlock::Kind::owned);
    draw_tensor(input, values_at(input, axes), seed, bytes, exact.as<double>());
  }
}

}  // namespace

WorkloadCase prepare_workload(const OpSpec& spec, const Workload& workload, std::uint64_t seed) {
  Bindings axes = resolve_axes(spec, workload.axes);
  TensorArena arena = make_arena(spec, axes);
  draw_inputs(spec, axes, arena, seed);
  std::map<std::string, double> scalars = draw_scalars(spec, axes, workload.scalars, seed);
  return {workload, std::move(axes), std::move(scalars), std::move(arena)};
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
