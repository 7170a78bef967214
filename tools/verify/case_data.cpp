#include "verify/case_data.hpp"

#include "support/error.hpp"
#include "support/stopwatch.hpp"
#include "verify/inputs.hpp"
#include "verify/repeated_case.hpp"

#include <algorithm>
#include <utility>

namespace kernelloop {

std::vector<TensorArena::Slot> slots_of(const OpSpec& spec, const Bindings& axes) {
  std::vector<TensorArena::Slot> slots;
  const auto add = [&](const Tensor& tensor, bool output) {
    if (tensor.scalar) return;
    const auto count = static_cast<std::size_t>(element_count(tensor, axes));
    slots.push_back({tensor.name, count * info(tensor.dtype).size, output, tensor.alignment});
  };
  for (const Tensor& input : spec.inputs) add(input, false);
  for (const Tensor& output : spec.outputs) add(output, true);
  return slots;
}

std::size_t bytes_of(const std::vector<TensorArena::Slot>& slots) {
  std::size_t bytes = 0;
  for (const TensorArena::Slot& slot : slots) bytes += slot.bytes;
  return bytes;
}

CaseData::CaseData(const OpSpec& spec, const CasePlan& plan, TensorArena memory,
                   const std::shared_ptr<MemoryPool>& input_memory)
    : spec_(spec),
      traits_(traits_of(plan.family.family, spec)),
      inputs_{resolve_axes(spec, plan.variables), {}, {}},
      arena_(std::move(memory)) {
  if (!arena_.reslice(slots_of(spec, inputs_.axes))) {
    fail(ExitCode::internal, "the memory of a case is too small for it");
  }
  const ScopedSeconds timed(cost_.draw);
  // A family may leave what the operator is defined for; then NaN is no fault of the reference.
  inputs_.finite = plan.family.family == nullptr;
  const bool vary = plan.family.family != nullptr && plan.family.family != &exact_integers();
  inputs_.scalars = draw_scalars(spec, inputs_.axes, plan.scalars, plan.seed, vary);
  for (const Tensor& tensor : spec.inputs) {
    if (tensor.scalar) continue;
    const auto count = static_cast<std::size_t>(element_count(tensor, inputs_.axes));
    const MemoryPool::Lease& lease =
        input_memory_.emplace_back(input_memory->take(count * sizeof(double)));
    const std::span<double> values = lease.block().as<double>().first(count);
    draw_input(spec, tensor, inputs_.axes, plan.family, plan.seed, arena_.bytes(tensor.name),
               values);
    inputs_.tensors[tensor.name] = values;
  }
}

CaseData::~CaseData() = default;

RepeatedCase* CaseData::repeated(const Repetition& repetition, std::string& why) {
  if (repeated_) return repeated_.get();
  try {
    repeated_ = std::make_unique<RepeatedCase>(spec_, *this, repetition);
  } catch (const Error& error) {
    if (error.code() != ExitCode::io) throw;
    why = error.what();
  }
  return repeated_.get();
}

const std::map<std::string, ReferenceOutput>& CaseData::expected(
    const ReferenceLibrary& reference) {
  if (expected_.empty()) {
    const ScopedSeconds timed(cost_.reference);
    expected_ = reference.run(spec_, inputs_);
    inputs_.tensors.clear();
    input_memory_.clear();
  }
  return expected_;
}

}  // namespace kernelloop
