// The element types of the op spec (design: FlashInfer Trace names).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace kernelloop {

enum class DType {
  float64,
  float32,
  float16,
  bfloat16,
  float8_e4m3,
  float8_e5m2,
  int64,
  int32,
  int8,
  uint8,
  boolean,
};

// All facts about a type, in one table (dtype.cpp).
struct DTypeInfo {
  DType type;
  std::string_view name;  // as in op.json: "bfloat16", "bool", ...
  std::size_t size;       // bytes
  bool floating;
  double unit_roundoff;          // half the spacing at 1.0: 2^-24 for float32; 0 for integers
  double largest;                // greatest finite value
  std::string_view cuda_type;    // "__nv_bfloat16"
  std::string_view cuda_header;  // "cuda_bf16.h"; empty when the type is built in
};

const DTypeInfo& info(DType type);
std::optional<DType> parse_dtype(std::string_view name);

// One element, widened exactly / rounded to nearest even (integers saturate, NaN -> 0).
// `bytes` points to info(type).size bytes, unaligned.
double load_element(DType type, const std::byte* bytes);
void store_element(DType type, double value, std::byte* bytes);

}  // namespace kernelloop
