// One call of a reference library through the C interface of kernelloop/reference.h.
#pragma once

#include "spec/op_spec.hpp"
#include "verify/call_memory.hpp"

#include <kernelloop/reference.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace kernelloop {

struct ReferenceInputs;

// Where a call leaves what it makes of one output.
struct ReferenceBuffers {
  std::span<double> values;  // an element each
  double* magnitudes;        // zeros, as many
  unsigned char* magnitude_given;
};

// All that a call needs, with nothing of the spec or the library's object: it may be made wherever
// the memory that it was laid out in is seen.
struct ReferenceCall {
  const char* library;
  const char* op;
  KernelLoopReferenceCall call;
};

// Of the tensors of a call, and of what it makes: values and magnitudes.
std::size_t bytes_of_call(const OpSpec& spec, const ReferenceInputs& inputs);

// Lays out a call in `memory`; inputs and outputs, by the names of the spec's outputs, stay where
// they are.
const ReferenceCall& lay_out_call(const std::filesystem::path& library, const OpSpec& spec,
                                  const ReferenceInputs& inputs,
                                  const std::map<std::string, ReferenceBuffers>& outputs,
                                  CallMemory& memory);

// Loads the library and calls it. Returns what went wrong, or nothing. It runs user code in this
// process: only in a child that a call is contained in.
std::string run(const ReferenceCall& call);

}  // namespace kernelloop
