// The element types of the op spec (design: FlashInfer Trace names).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
std::vector<std::string> dtype_names();  // all of them, in the order of the enumeration

// One element, widened exactly (an int64 beyond 2^53 is rounded) / rounded to nearest even.
// Too large a magnitude becomes infinity in float32, float16 and bfloat16, and the greatest finite
// value in both 8-bit types (as CUDA's __NV_SATFINITE does; infinity too). Integers saturate, and
// NaN becomes 0 in them; bool is 1 for everything but 0 and NaN. NaN is stored as 0x7FFF in 16
// bits, 0x7F or 0xFF in float8_e4m3, 0x7E or 0xFE in float8_e5m2, as CUDA stores it. `bytes` points
// to info(type).size bytes, unaligned.
double load_element(DType type, const std::byte* bytes);
void store_element(DType type, double value, std::byte* bytes);

}  // namespace kernelloop
