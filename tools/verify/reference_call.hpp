// One call of a reference library through the C interface of kernelloop/reference.h. It runs user
// code in this process: make it inside contained_call.
#pragma once

#include "spec/op_spec.hpp"

#include <kernelloop/reference.h>

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kernelloop {

struct ReferenceInputs;

// Where a call leaves what it makes of one output.
struct ReferenceBuffers {
  std::span<double> values;  // an element each
  double* magnitudes;        // zeros, as many
  unsigned char* magnitude_given;
};

class ReferenceCall {
 public:
  // All of them must outlive the call; `outputs` by the names of the spec's outputs.
  ReferenceCall(const OpSpec& spec, const ReferenceInputs& inputs,
                const std::map<std::string, ReferenceBuffers>& outputs);

  // Loads the library and calls it. Returns what went wrong, or nothing.
  [[nodiscard]] std::string run(const std::filesystem::path& library) const;

 private:
  const OpSpec& spec_;
  std::vector<KernelLoopReferenceAxis> axes_;
  std::vector<KernelLoopReferenceScalar> scalars_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<KernelLoopReferenceTensor> tensors_;
};

}  // namespace kernelloop
