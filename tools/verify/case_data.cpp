#include "verify/case_data.hpp"

#include "support/error.hpp"
#include "support/stopwatch.hpp"
#include "verify/inputs.hpp"

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

CaseData::CaseData(const OpSpec& spec, const CasePlan& plan, TensorArena memory)
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
  inputs_.scalars = draw_scalars(spec, inputs_.axes, plan.scalars, plan.seed);
  for (const Tensor& tensor : spec.inputs) {
    if (tensor.scalar) continue;
    const auto count = static_cast<std::size_t>(element_count(tensor, inputs_.axes));
    const MemoryBlock& block =
        input_memory_.emplace_back(count * sizeof(double), MemoryBlock::Kind::owned);
    draw_input(spec, tensor, inputs_.axes, plan.family, plan.seed, arena_.bytes(tensor.name),
               block.as<double>());
    inputs_.tensors[tensor.name] = block.as<double>();
  }
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

CaseQueue::CaseQueue(const OpSpec& spec, const ReferenceLibrary& reference,
                     const std::vector<std::span<const CasePlan>>& groups, bool ahead)
    : spec_(spec), reference_(reference), ahead_(ahead) {
  for (const std::span<const CasePlan> group : groups) {
    const CasePlan* largest = nullptr;
    std::size_t most = 0;
    for (const CasePlan& plan : group) {
      const std::size_t bytes = admissible(spec, plan.variables)
                                    ? bytes_of(slots_of(spec, resolve_axes(spec, plan.variables)))
                                    : 0;
      if (largest == nullptr || bytes > most) largest = &plan;
      most = std::max(most, bytes);
    }
    for (const CasePlan& plan : group) entries_.push_back({&plan, largest});
  }
}

std::unique_ptr<CaseData> CaseQueue::make(const Entry& entry) {
  const auto slots = [&](const CasePlan& plan) {
    return slots_of(spec_, resolve_axes(spec_, plan.variables));
  };
  std::optional<TensorArena> memory = std::exchange(spare_, std::nullopt);
  if (!memory || !memory->reslice(slots(*entry.plan))) {
    memory.reset();  // before the system is asked for more
    memory.emplace(slots(*entry.largest));
    // The largest in all need not be the one with the most inputs and the most outputs.
    if (!memory->reslice(slots(*entry.plan))) memory.emplace(slots(*entry.plan));
  }
  return std::make_unique<CaseData>(spec_, *entry.plan, std::move(*memory));
}

std::unique_ptr<CaseData> CaseQueue::take(std::unique_ptr<CaseData> done) {
  const Entry& entry = entries_.at(taken_++);
  std::unique_ptr<CaseData> taken = next_.valid() ? next_.get() : nullptr;
  if (done) spare_ = std::move(*done).release();
  done.reset();
  if (!taken) taken = make(entry);
  if (ahead_ && taken_ < entries_.size()) {
    next_ = std::async(std::launch::async, [this, &next = entries_[taken_]] {
      std::unique_ptr<CaseData> data = make(next);
      data->expected(reference_);
      return data;
    });
  }
  return taken;
}

}  // namespace kernelloop
