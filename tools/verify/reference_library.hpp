// Calls a user's reference (kernelloop/reference.h) where it can do no harm: each call in a forked
// child of its own, which loads the library and hands back its outputs through shared memory. Small
// calls are made by a process that is kept for them (call_server.hpp).
//
// A reference that crashes, throws, hangs, leaves an element unwritten or makes a NaN of finite
// inputs is broken infrastructure: Error(bad_input) that names op, shape and element.
#pragma once

#include "spec/op_spec.hpp"
#include "support/memory_block.hpp"
#include "verify/call_server.hpp"
#include "verify/compare.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kernelloop {

struct ReferenceOutput {
  MemoryPool::Lease value_memory;
  MemoryPool::Lease magnitude_memory;
  std::span<double> values;      // row-major, unrounded
  std::span<double> magnitudes;  // empty unless the reference gave them
  // At least so large are the terms of each element (term_probe.hpp); empty where the neighbours
  // tell as much.
  std::vector<double> probed_terms;
  std::vector<std::int64_t> shape;
  ReferenceScale scale;
};

// What a reference is called with. Inputs are already rounded to their dtypes.
struct ReferenceInputs {
  Bindings axes;
  std::map<std::string, double> scalars;
  std::map<std::string, std::span<const double>> tensors;
  bool finite = true;  // no NaN or infinity among them: then there must be none in the outputs
};

class ReferenceLibrary {
 public:
  // Does not load anything yet. Throws Error(bad_input) when there is no such file.
  explicit ReferenceLibrary(const std::filesystem::path& library,
                            std::chrono::milliseconds timeout = std::chrono::minutes(2));

  // Starts the process that makes small calls, which the first of them does otherwise: while this
  // one is small, that costs less, and each call does. Throws as run does.
  void warm_up() const { server_->start(); }

  // The outputs by name. Any thread may call it. Must not be called in a process that has used
  // CUDA: it forks.
  [[nodiscard]] std::map<std::string, ReferenceOutput> run(const OpSpec& spec,
                                                           const ReferenceInputs& inputs) const;

 private:
  using Outputs = std::map<std::string, ReferenceOutput>;
  [[nodiscard]] Outputs call(const OpSpec& spec, const ReferenceInputs& inputs) const;
  void check(const OpSpec& spec, const ReferenceInputs& inputs, Outputs& outputs) const;
  [[noreturn]] void refuse(const OpSpec& spec, const Bindings& axes, const std::string& what) const;

  std::filesystem::path library_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<CallServer> server_ = std::make_shared<CallServer>();
  // Of what small calls made.
  std::shared_ptr<MemoryPool> small_memory_ =
      std::make_shared<MemoryPool>(MemoryBlock::Kind::owned);
  // Of what large ones make.
  std::shared_ptr<MemoryPool> memory_ = std::make_shared<MemoryPool>(MemoryBlock::Kind::shared);
  // Of magnitudes. Untouched pages, which are zero and cost nothing, until a call has given some.
  std::shared_ptr<MemoryPool> magnitude_memory_ =
      std::make_shared<MemoryPool>(MemoryBlock::Kind::shared);
  std::shared_ptr<std::atomic<bool>> gives_magnitudes_ = std::make_shared<std::atomic<bool>>(false);
};

// "rows=3, cols=17": the variable axes in the spec's order ("no variable axes" when there are
// none).
std::string shape_text(const OpSpec& spec, const Bindings& axes);

}  // namespace kernelloop
