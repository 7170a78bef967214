#include "device/roof.hpp"

#include <algorithm>
#include <array>

namespace kernelloop {
namespace {

using Unit = Roof::Unit;

constexpr std::array<Roof, 17> k_roofs{{
    {"read", Unit::bytes, "device memory, reading"},
    {"write", Unit::bytes, "device memory, writing"},
    {"copy", Unit::bytes, "device memory, one stream read and one written"},
    {"triad", Unit::bytes, "device memory, two streams read and one written"},
    {"shared", Unit::bytes, "shared memory, reading 16 bytes a thread"},
    {"fp64", Unit::operations, "float64 multiply-adds"},
    {"fp32", Unit::operations, "float32 multiply-adds"},
    {"fp16", Unit::operations, "packed float16 multiply-adds"},
    {"bf16", Unit::operations, "packed bfloat16 multiply-adds"},
    {"int32", Unit::operations, "32-bit integer multiply-adds"},
    {"sfu", Unit::operations, "special functions (exponentials, roots)"},
    {"tf32_tensor", Unit::operations, "tensor cores, tf32"},
    {"fp16_tensor", Unit::operations, "tensor cores, float16, float32 sums"},
    {"bf16_tensor", Unit::operations, "tensor cores, bfloat16, float32 sums"},
    {"fp8_tensor", Unit::operations, "tensor cores, fp8 (e4m3), float32 sums"},
    {"int8_tensor", Unit::operations, "tensor cores, int8, int32 sums"},
    {"launch", Unit::seconds, "an empty kernel between two events"},
}};

}  // namespace

std::span<const Roof> all_roofs() { return k_roofs; }

const Roof* find_roof(std::string_view name) {
  const auto found = std::find_if(k_roofs.begin(), k_roofs.end(),
                                  [&](const Roof& roof) { return roof.name == name; });
  return found == k_roofs.end() ? nullptr : &*found;
}

}  // namespace kernelloop
