// The data of one case: inputs drawn and placed where the candidate will find them, and what the
// reference makes of them.
#pragma once

#include "device/worker_client.hpp"
#include "verify/reference_library.hpp"
#include "verify/rung.hpp"
#include "verify/verdict.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kernelloop {

class RepeatedCase;

// What a TensorArena must hold for resolved axes: inputs, then outputs, in the spec's order.
std::vector<TensorArena::Slot> slots_of(const OpSpec& spec, const Bindings& axes);
std::size_t bytes_of(const std::vector<TensorArena::Slot>& slots);

class CaseData {
 public:
  // Draws the inputs into `memory`, which is resliced for the case, and in double into memory of
  // the pool. `spec` must outlive it. Throws Error(bad_input) for a shape that the spec does not
  // admit.
  CaseData(const OpSpec& spec, const CasePlan& plan, TensorArena memory,
           const std::shared_ptr<MemoryPool>& input_memory);
  ~CaseData();
  CaseData(const CaseData&) = delete;
  CaseData& operator=(const CaseData&) = delete;

  [[nodiscard]] const Bindings& axes() const noexcept { return inputs_.axes; }
  [[nodiscard]] const std::map<std::string, double>& scalars() const noexcept {
    return inputs_.scalars;
  }
  [[nodiscard]] const DataTraits& traits() const noexcept { return traits_; }
  [[nodiscard]] const TensorArena& arena() const noexcept { return arena_; }
  [[nodiscard]] const VerificationCost& cost() const noexcept { return cost_; }

  // Its memory, for another case; the data is of no use after that.
  [[nodiscard]] TensorArena release() && { return std::move(arena_); }

  // Calls the reference the first time, which drops the inputs in double: the arena keeps them as
  // the candidate sees them. Throws as ReferenceLibrary::run does.
  const std::map<std::string, ReferenceOutput>& expected(const ReferenceLibrary& reference);

  // The large case of which this one is the period, made at the first call; nullptr when memory is
  // short, and then `why` says so.
  RepeatedCase* repeated(const Repetition& repetition, std::string& why);

 private:
  const OpSpec& spec_;
  DataTraits traits_;
  VerificationCost cost_;
  ReferenceInputs inputs_;
  TensorArena arena_;
  std::vector<MemoryPool::Lease> input_memory_;
  std::map<std::string, ReferenceOutput> expected_;
  std::unique_ptr<RepeatedCase> repeated_;
};

}  // namespace kernelloop
