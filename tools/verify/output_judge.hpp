// Judges the outputs of one run against those of the reference.
#pragma once

#include "device/worker_client.hpp"
#include "verify/reference_library.hpp"
#include "verify/verdict.hpp"

#include <map>
#include <string>
#include <vector>

namespace kernelloop {

// One verdict per output. `poison` is what the outputs held before the launch; failed outputs carry
// a pattern in words.
std::vector<OutputVerdict> judge_outputs(const OpSpec& spec, const Bindings& axes,
                                         const DataTraits& traits, const TensorArena& arena,
                                         const std::map<std::string, ReferenceOutput>& expected,
                                         const Poison& poison);

}  // namespace kernelloop
