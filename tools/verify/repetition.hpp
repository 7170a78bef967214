// Cases that are larger than the reference can follow: a small case, its period, repeats along the
// axis that the spec names in `ladder.huge`.
#pragma once

#include "spec/op_spec.hpp"
#include "verify/rung.hpp"

namespace kernelloop {

// Makes the shape of `plan` the period of a case that has that shape as a whole.
void repeat(const OpSpec& spec, const std::string& axis, CasePlan& plan);

// The same where the reference would take seconds for the whole, and the spec names an axis.
void repeat_if_dear(const OpSpec& spec, CasePlan& plan);

// The same, with a longer period, where all that is made of the tensors would take gigabytes.
void repeat_if_large(const OpSpec& spec, CasePlan& plan);

}  // namespace kernelloop
