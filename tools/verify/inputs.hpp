// Draws the inputs of a case.
#pragma once

#include "spec/op_spec.hpp"
#include "support/memory_block.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace kernelloop {

// Fills `bytes` (the tensor's elements, in its dtype) with `values` drawn from the stream
// (`seed`, tensor name), and `exact` with the same elements as double, after rounding, unless it is
// empty: what is only timed needs no doubles. Integers
// stay within +-2^53. `values` are those of one shape (values_at). Throws Error(bad_input) for a
// family it does not know.
void draw_tensor(const Tensor& tensor, const InputValues& values, std::uint64_t seed,
                 std::span<std::byte> bytes, std::span<double> exact);

// The value of every scalar input under resolved axes: `overrides` first, then drawn like a tensor
// of one element. Rounded to the input's dtype. `vary`: constants are drawn as a quarter to a
// half of themselves (still on their side of 0, and no farther out), so that a kernel which knows
// them beforehand shows.
std::map<std::string, double> draw_scalars(const OpSpec& spec, const Bindings& axes,
                                           const std::map<std::string, double>& overrides,
                                           std::uint64_t seed, bool vary = false);

}  // namespace kernelloop
