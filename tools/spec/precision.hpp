// What the precision that an op declares allows its instructions to be. The instruction policy
// judges a kernel by it, and the datasheet limit picks by it the fastest unit that may do the work.
#pragma once

#include "spec/op_spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// The types that tensor cores may multiply, by their PTX names: of "f64", "tf32", "f16", "bf16",
// "e4m3", "e5m2", "s8", "u8". `precision.tensor_core_inputs` where the spec gives it, else those
// that hold every value of an input's, of the accumulation or of the intermediate type, and tf32
// where it is allowed.
std::vector<std::string_view> tensor_core_types(const OpSpec& spec);

// Whether sums and products may be rounded to 16 bits outside tensor cores.
bool half_arithmetic_allowed(const OpSpec& spec);

// Whether partial results may be kept in 16 bits: half-precision accumulators and atomics.
bool half_accumulation_allowed(const OpSpec& spec);

// A name of `precision.tensor_core_inputs` in PTX: "bf16" for "bfloat16"; "" for an unknown one.
std::string_view ptx_type_of(std::string_view name);

}  // namespace kernelloop
