// A device that has every right result: it hands out the reference's, and spoils one output.
#pragma once

#include "verify/case_data.hpp"
#include "verify/compiled_version.hpp"
#include "verify/executor.hpp"
#include "verify/mutants.hpp"

#include <map>
#include <vector>

namespace kernelloop {

// A version whose one launch takes every output of the op.
CompiledVersion version_of_reference(const OpSpec& spec);

class MutantExecutor final : public Executor {
 public:
  // `spoiled` is the output that `mutant` spoils; with no mutant all are honest. All must outlive
  // the executor.
  MutantExecutor(const OpSpec& spec, const ReferenceLibrary& reference, const Tensor* spoiled,
                 const Mutant* mutant);

  // The case that the next runs are of.
  void begin(CaseData& data);

  const DeviceDescription& device() override { return device_; }
  RunResult run(const RunRequest& request) override;

  // Whether any spoiled output so far had another bit than the right one.
  [[nodiscard]] bool differed() const noexcept { return differed_; }

 private:
  // The reference's result for inputs cut to so many significant bits.
  [[nodiscard]] ReferenceOutput of_cut_inputs(int significand) const;
  void spoil(const RunRequest& request, std::span<std::byte> bytes);

  const OpSpec& spec_;
  const ReferenceLibrary& reference_;
  const Tensor* spoiled_;
  const Mutant* mutant_;
  DeviceDescription device_;
  CaseData* data_ = nullptr;
  const std::map<std::string, ReferenceOutput>* truth_ = nullptr;
  // What the spoiled output should have held: in this case, in the one before, and in the first of
  // each shape.
  std::vector<std::byte> honest_;
  std::vector<std::byte> before_;
  std::map<Bindings, std::vector<std::byte>> first_;
  bool differed_ = false;
};

}  // namespace kernelloop
