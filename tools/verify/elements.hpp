// Elements of a tensor as double, fast enough for a loop over a hundred million of them.
#pragma once

#include "spec/dtype.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace kernelloop {

// The value of a float16. Without branches, so that a loop over it becomes vector code.
inline float float_of_half(std::uint16_t code) {
  constexpr std::int32_t k_rebias = (127 - 15) << 23;
  const std::int32_t bits = code;
  const std::int32_t shifted = (bits & 0x7FFF) << 13;
  const std::int32_t special = -std::int32_t{shifted >= (0x7C00 << 13)};  // infinity and NaN
  const std::int32_t denormal = -std::int32_t{shifted < (0x0400 << 13)};
  const std::int32_t normal = shifted + k_rebias + (special & k_rebias);
  // As a normal number a denormal is too large by the hidden bit, 2^-14.
  const float magnitude = std::bit_cast<float>(normal + (denormal & (1 << 23))) -
                          std::bit_cast<float>(denormal & (113 << 23));
  const std::uint32_t sign = (std::uint32_t{code} & 0x8000u) << 16;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
}

// Calls use(read), where read(i) is element i of `bytes` as double. The common types are inlined.
template <typename Use>
void with_reader(DType type, const std::byte* bytes, const Use& use) {
  const auto plain = [bytes]<typename T>(T) {
    return [bytes](std::int64_t index) {
      T value;
      std::memcpy(&value, bytes + index * static_cast<std::int64_t>(sizeof value), sizeof value);
      return value;
    };
  };
  switch (type) {
    case DType::bfloat16:
      use([read = plain(std::uint16_t{})](std::int64_t index) {
        return static_cast<double>(std::bit_cast<float>(std::uint32_t{read(index)} << 16));
      });
      return;
    case DType::float32:
      use([read = plain(float{})](std::int64_t index) { return static_cast<double>(read(index)); });
      return;
    case DType::float64:
      use(plain(double{}));
      return;
    case DType::float16:
      use([read = plain(std::uint16_t{})](std::int64_t index) {
        return static_cast<double>(float_of_half(read(index)));
      });
      return;
    default:
      const auto size = static_cast<std::int64_t>(info(type).size);
      use([=](std::int64_t index) { return load_element(type, bytes + index * size); });
  }
}

// Calls use(write), where write(i, value) rounds `value` to element i of `bytes` and returns what
// the element now holds. bfloat16 is rounded by way of float32, which is right for drawing inputs.
template <typename Use>
void with_writer(DType type, std::byte* bytes, const Use& use) {
  switch (type) {
    case DType::bfloat16:
      use([bytes](std::int64_t index, double value) {
        std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        bits = std::isfinite(value) ? (bits + 0x7FFFu + ((bits >> 16) & 1u)) : bits;
        const auto upper = static_cast<std::uint16_t>(bits >> 16);
        std::memcpy(bytes + index * 2, &upper, sizeof upper);
        return static_cast<double>(std::bit_cast<float>(std::uint32_t{upper} << 16));
      });
      return;
    case DType::float32:
      use([bytes](std::int64_t index, double value) {
        const auto rounded = static_cast<float>(value);
        std::memcpy(bytes + index * 4, &rounded, sizeof rounded);
        return static_cast<double>(rounded);
      });
      return;
    default:
      const auto size = static_cast<std::int64_t>(info(type).size);
      use([=](std::int64_t index, double value) {
        store_element(type, value, bytes + index * size);
        return load_element(type, bytes + index * size);
      });
  }
}

// 2^floor(log2|value|) for a normal number; 0 for zero and subnormals.
inline double binade_of(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0x7FF0000000000000u);
}

// What lies at the bottom of a type's range; all 0 for integers.
struct TypeFloor {
  double smallest_normal = 0.0;
  double half_step = 0.0;     // half the smallest denormal
  bool flushes = false;       // fast GPU arithmetic may take denormals for zero
  bool has_infinity = false;  // and rounding too large a value gives it
};

inline TypeFloor floor_of(DType type) {
  switch (type) {
    case DType::float64:
      return {0x1p-1022, 0x1p-1074, true, true};
    case DType::float32:
      return {0x1p-126, 0x1p-150, true, true};
    case DType::bfloat16:
      return {0x1p-126, 0x1p-134, true, true};
    case DType::float16:
      return {0x1p-14, 0x1p-25, false, true};
    case DType::float8_e4m3:
      return {0x1p-6, 0x1p-10, false, false};
    case DType::float8_e5m2:
      return {0x1p-14, 0x1p-17, false, false};
    default:
      return {};
  }
}

// The absolute error that the bottom of a type's range excuses: half its smallest step, or its
// smallest normal number where denormals may be flushed.
inline double underflow_step(DType type, bool may_flush) {
  const TypeFloor floor = floor_of(type);
  return may_flush && floor.flushes ? floor.smallest_normal : floor.half_step;
}

// Distance between neighbours of `type` around `value` (1 for integers).
inline double spacing_at(const DTypeInfo& type, double smallest_step, double value) {
  if (!type.floating) return 1.0;
  return std::max(2.0 * type.unit_roundoff * binade_of(value), 2.0 * smallest_step);
}

}  // namespace kernelloop
