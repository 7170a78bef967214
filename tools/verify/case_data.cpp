#include "verify/case_data.hpp"

#include "support/stopwatch.hpp"
#include "verify/inputs.hpp"

#include <utility>

namespace kernelloop {
namespace {

std::vector<TensorArena::Slot> slots_of(const OpSpec& spec, const Bindings& axes) {
  std::vector<TensorArena::Slot> slots;
  const auto add = [&](const Tensor& tensor, bool output) {
    if (tensor.scalar) return;
    const auto count = static_cast<std::size_t>(element_count(tensor, axes));
    slots.push_back({tensor.name, count * info(tensor.dtype).size, output});
  };
  for (const Tensor& input : spec.inputs) add(input, false);
  for (const Tensor& output : spec.outputs) add(output, true);
  return slots;
}

}  // namespace

CaseData::CaseData(const OpSpec& spec, const CasePlan& plan)
    : spec_(spec),
      inputs_{resolve_axes(spec, plan.variables), {}, {}},
      arena_(slots_of(spec, inputs_.axes)) {
  const ScopedSeconds timed(cost_.draw);
  inputs_.scalars = draw_scalars(spec, inputs_.axes, plan.scalars, plan.seed);
  for (const Tensor& tensor : spec.inputs) {
    if (tensor.scalar) continue;
    const auto count = static_cast<std::size_t>(element_count(tensor, inputs_.axes));
    const MemoryBlock& block =
        input_memory_.emplace_back(count * sizeof(double), MemoryBlock::Kind::owned);
    const auto values = plan.values.find(tensor.name);
    draw_tensor(tensor,
                values == plan.values.end() ? values_at(tensor, inputs_.axes) : values->second,
                plan.seed, arena_.bytes(tensor.name), block.as<double>());
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

std::unique_ptr<CaseData> CaseQueue::take() {
  const CasePlan& plan = *plans_.at(taken_++);
  std::unique_ptr<CaseData> taken =
      next_.valid() ? next_.get() : std::make_unique<CaseData>(spec_, plan);
  if (ahead_ && taken_ < plans_.size()) {
    next_ = std::async(std::launch::async, [this, &next = *plans_[taken_]] {
      auto data = std::make_unique<CaseData>(spec_, next);
      data->expected(reference_);
      return data;
    });
  }
  return taken;
}

}  // namespace kernelloop
