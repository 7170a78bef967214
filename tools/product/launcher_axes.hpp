// The arithmetic of a generated launcher: axes, constraints and the plan's expressions as C++.
#pragma once

#include "plan/launch_plan.hpp"
#include "spec/op_spec.hpp"

#include <string>

namespace kernelloop {

// An integer expression as C++ over the members of the axes struct. Expressions without names are
// emitted as their value.
std::string expression_text(const Expression& expression);

// The C++ struct `Axes`: constructed from the variable axes, it holds every axis as a
// kernelloop::detail::Checked and knows
//   bool kl_valid() const            axes at least 1, constraints hold, nothing overflowed
//   Checked kl_workspace() const     the plan's workspace in bytes
// and for launch i
//   bool kl_when_i() const
//   LaunchSize kl_size_i(bool& failed) const   (needs kernelloop/launcher.hpp)
//   Checked kl_value_i_j() const     argument j: an integer, or an offset into the workspace
//   TensorMapNumbers kl_map_i_j() const    argument j: a tensor map (needs
//   kernelloop/tensor_map.hpp) Checked kl_bytes_i_j() const           and the bytes of its tensor
// With `with_sizes` false, kl_size_i and kl_map_i_j are left out and kernelloop/checked.hpp
// suffices. Needs resolved names: throws Error(bad_input) when a name of the spec cannot be a C++
// name.
std::string axes_struct(const OpSpec& spec, const LaunchPlan& plan, bool with_sizes = true);

// Throws Error(bad_input) naming the first name of the spec (op, axis, input, output) that a C++
// program cannot use.
void require_cpp_names(const OpSpec& spec);

}  // namespace kernelloop
