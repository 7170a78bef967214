#include "spec/precision.hpp"

#include <algorithm>
#include <array>

namespace kernelloop {
namespace {

// A type that tensor cores multiply, and the element types whose every value it holds.
struct TensorType {
  std::string_view ptx;
  std::string_view name;  // in op.json
  std::vector<DType> floats;
  std::vector<DType> integers;
};

const std::vector<TensorType>& tensor_types() {
  using enum DType;
  static const std::vector<TensorType> k_tensor_types{
      {"f64",
       "float64",
       {float64, float32, float16, bfloat16, float8_e4m3, float8_e5m2},
       {int32, int8, uint8}},
      {"tf32", "tfloat32", {float16, bfloat16, float8_e4m3, float8_e5m2}, {int8, uint8}},
      {"f16", "float16", {float16, float8_e4m3, float8_e5m2}, {int8, uint8}},
      {"bf16", "bfloat16", {bfloat16, float8_e4m3, float8_e5m2}, {int8, uint8}},
      {"e4m3", "float8_e4m3", {float8_e4m3}, {}},
      {"e5m2", "float8_e5m2", {float8_e5m2}, {}},
      {"s8", "int8", {}, {int8}},
      {"u8", "uint8", {}, {uint8}},
  };
  return k_tensor_types;
}

bool has(const std::vector<DType>& types, DType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// A matrix of wide floats: small integers beside it say nothing about how it may be rounded.
bool has_wide_matrix(const OpSpec& spec) {
  return std::any_of(spec.inputs.begin(), spec.inputs.end(), [](const Tensor& input) {
    const DTypeInfo& type = info(input.dtype);
    return !input.scalar && input.shape.size() >= 2 && type.floating && type.size >= 4;
  });
}

bool follows_from_inputs(const TensorType& type, const OpSpec& spec, bool wide_matrix) {
  const bool integer_unit = type.floats.empty();
  return std::any_of(spec.inputs.begin(), spec.inputs.end(), [&](const Tensor& input) {
    if (input.scalar) return false;
    return has(type.floats, input.dtype) ||
           (has(type.integers, input.dtype) && (integer_unit || !wide_matrix));
  });
}

}  // namespace

std::vector<std::string_view> tensor_core_types(const OpSpec& spec) {
  std::vector<std::string_view> result;
  if (spec.precision.tensor_core_inputs) {
    for (const std::string& name : *spec.precision.tensor_core_inputs) {
      result.push_back(ptx_type_of(name));
    }
    return result;
  }
  const bool wide_matrix = has_wide_matrix(spec);
  for (const TensorType& type : tensor_types()) {
    if (type.ptx == "f64" || (type.ptx == "tf32" && spec.precision.allow_tf32) ||
        has(type.floats, spec.precision.accumulate) ||
        (spec.precision.intermediate && has(type.floats, *spec.precision.intermediate)) ||
        follows_from_inputs(type, spec, wide_matrix)) {
      result.push_back(type.ptx);
    }
  }
  return result;
}

bool half_accumulation_allowed(const OpSpec& spec) {
  const DTypeInfo& type = info(spec.precision.accumulate);
  return type.floating && type.size <= 2;
}

bool half_arithmetic_allowed(const OpSpec& spec) {
  return spec.precision.allow_half_arithmetic || half_accumulation_allowed(spec);
}

std::string_view ptx_type_of(std::string_view name) {
  for (const TensorType& type : tensor_types()) {
    if (type.name == name) return type.ptx;
  }
  return {};
}

}  // namespace kernelloop
