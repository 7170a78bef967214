// Whether a reference works at all, told before anybody is asked for a version that it is to judge.
#pragma once

#include "spec/op_spec.hpp"
#include "verify/reference_library.hpp"

#include <cstddef>
#include <string>

namespace kernelloop {

// Calls the reference as the rung smoke of `device` will ("cuda" | "cpu") and returns how many
// cases that were. Throws as ReferenceLibrary::run does.
std::size_t try_reference(const OpSpec& spec, const std::string& device,
                          const ReferenceLibrary& reference);

}  // namespace kernelloop
