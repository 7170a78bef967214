#include "spec/dtype.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace kernelloop {
namespace {

// In the order of the enumeration. The greatest int64 stands as the greatest double below 2^63, so
// that storing it is exact.
constexpr std::array<DTypeInfo, 11> k_types{{
    {DType::float64, "float64", 8, true, 0x1p-53, std::numeric_limits<double>::max(), "double", ""},
    {DType::float32, "float32", 4, true, 0x1p-24, 0x1.fffffep127, "float", ""},
    {DType::float16, "float16", 2, true, 0x1p-11, 65504.0, "__half", "cuda_fp16.h"},
    {DType::bfloat16, "bfloat16", 2, true, 0x1p-8, 0x1.fep127, "__nv_bfloat16", "cuda_bf16.h"},
    {DType::float8_e4m3, "float8_e4m3", 1, true, 0x1p-4, 448.0, "__nv_fp8_e4m3", "cuda_fp8.h"},
    {DType::float8_e5m2, "float8_e5m2", 1, true, 0x1p-3, 57344.0, "__nv_fp8_e5m2", "cuda_fp8.h"},
    {DType::int64, "int64", 8, false, 0.0, 0x1.fffffffffffffp62, "long long", ""},
    {DType::int32, "int32", 4, false, 0.0, 2147483647.0, "int", ""},
    {DType::int8, "int8", 1, false, 0.0, 127.0, "signed char", ""},
    {DType::uint8, "uint8", 1, false, 0.0, 255.0, "unsigned char", ""},
    {DType::boolean, "bool", 1, false, 0.0, 1.0, "bool", ""},
}};

// A binary floating-point format of at most 16 bits: sign, exponent, fraction.
struct SmallFloat {
  int fraction_bits;
  int smallest_exponent;   // of normal numbers; subnormals share it
  unsigned largest_code;   // of the greatest finite value, without the sign
  unsigned overflow_code;  // what larger magnitudes and infinity become
  unsigned nan_code;
  bool nan_keeps_sign;
  unsigned sign_bit;
  int infinity_code;  // -1: the format has none
};

constexpr SmallFloat k_half{10, -14, 0x7BFF, 0x7C00, 0x7FFF, false, 0x8000, 0x7C00};
constexpr SmallFloat k_bfloat{7, -126, 0x7F7F, 0x7F80, 0x7FFF, false, 0x8000, 0x7F80};
// As CUDA converts with __NV_SATFINITE: too large a magnitude becomes the greatest finite value.
constexpr SmallFloat k_e4m3{3, -6, 0x7E, 0x7E, 0x7F, true, 0x80, -1};
constexpr SmallFloat k_e5m2{2, -14, 0x7B, 0x7B, 0x7E, true, 0x80, 0x7C};

unsigned encode(const SmallFloat& format, double value) {
  const unsigned sign = std::signbit(value) ? format.sign_bit : 0U;
  if (std::isnan(value)) return format.nan_code | (format.nan_keeps_sign ? sign : 0U);
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return sign | format.overflow_code;
  if (magnitude == 0.0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), format.smallest_exponent);
  // Scaling by a power of two is exact here, so that there is one rounding only.
  const double scaled = std::ldexp(magnitude, format.fraction_bits - exponent);
  double units = std::floor(scaled);
  const double rest = scaled - units;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(units, 2.0) == 1.0)) units += 1.0;
  // A carry out of the fraction moves into the exponent by itself; a subnormal has exponent 0.
  const std::int64_t code =
      (static_cast<std::int64_t>(exponent - format.smallest_exponent) << format.fraction_bits) +
      static_cast<std::int64_t>(units);
  if (code > static_cast<std::int64_t>(format.largest_code)) return sign | format.overflow_code;
  return sign | static_cast<unsigned>(code);
}

double decode(const SmallFloat& format, unsigned bits) {
  const bool negative = (bits & format.sign_bit) != 0;
  const unsigned code = bits & (format.sign_bit - 1U);
  double magnitude = 0.0;
  if (static_cast<int>(code) == format.infinity_code) {
    magnitude = std::numeric_limits<double>::infinity();
  } else if (code > format.largest_code) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else {
    const unsigned hidden = 1U << format.fraction_bits;
    const unsigned fraction = code & (hidden - 1U);
    const int field = static_cast<int>(code >> format.fraction_bits);
    const unsigned significand = field == 0 ? fraction : fraction + hidden;
    const int exponent = format.smallest_exponent + (field == 0 ? 0 : field - 1);
    magnitude = std::ldexp(static_cast<double>(significand), exponent - format.fraction_bits);
  }
  return negative ? -magnitude : magnitude;
}

template <typename T>
T load_bits(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T>
void store_bits(T value, std::byte* bytes) {
  std::memcpy(bytes, &value, sizeof value);
}

template <typename Storage>
void store_small(const SmallFloat& format, double value, std::byte* bytes) {
  store_bits(static_cast<Storage>(encode(format, value)), bytes);
}

double round_half_even(double value) {
  const double below = std::floor(value);
  const double rest = value - below;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0.0);
  return up ? below + 1.0 : below;
}

template <typename T>
void store_integer(double value, std::byte* bytes) {
  // 2^digits is exact in double, unlike the greatest int64 itself.
  const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const double lowest = std::is_signed_v<T> ? -limit : 0.0;
  T result = 0;
  if (!std::isnan(value)) {
    const double rounded = round_half_even(value);
    if (rounded >= limit) {
      result = std::numeric_limits<T>::max();
    } else if (rounded <= lowest) {
      result = std::numeric_limits<T>::min();
    } else {
      result = static_cast<T>(rounded);
    }
  }
  store_bits(result, bytes);
}

}  // namespace

const DTypeInfo& info(DType type) { return k_types.at(static_cast<std::size_t>(type)); }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeInfo& entry : k_types) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DTypeInfo& entry : k_types) names.emplace_back(entry.name);
  return names;
}

double load_element(DType type, const std::byte* bytes) {
  switch (type) {
    case DType::float64:
      return load_bits<double>(bytes);
    case DType::float32:
      return static_cast<double>(load_bits<float>(bytes));
    case DType::float16:
      return decode(k_half, load_bits<std::uint16_t>(bytes));
    case DType::bfloat16:
      return decode(k_bfloat, load_bits<std::uint16_t>(bytes));
    case DType::float8_e4m3:
      return decode(k_e4m3, load_bits<std::uint8_t>(bytes));
    case DType::float8_e5m2:
      return decode(k_e5m2, load_bits<std::uint8_t>(bytes));
    case DType::int64:
      return static_cast<double>(load_bits<std::int64_t>(bytes));
    case DType::int32:
      return load_bits<std::int32_t>(bytes);
    case DType::int8:
      return load_bits<std::int8_t>(bytes);
    case DType::uint8:
      return load_bits<std::uint8_t>(bytes);
    case DType::boolean:
      return load_bits<std::uint8_t>(bytes) != 0 ? 1.0 : 0.0;
  }
  return 0.0;
}

void store_element(DType type, double value, std::byte* bytes) {
  switch (type) {
    case DType::float64:
      return store_bits(value, bytes);
    case DType::float32:
      return store_bits(static_cast<float>(value), bytes);
    case DType::float16:
      return store_small<std::uint16_t>(k_half, value, bytes);
    case DType::bfloat16:
      return store_small<std::uint16_t>(k_bfloat, value, bytes);
    case DType::float8_e4m3:
      return store_small<std::uint8_t>(k_e4m3, value, bytes);
    case DType::float8_e5m2:
      return store_small<std::uint8_t>(k_e5m2, value, bytes);
    case DType::int64:
      return store_integer<std::int64_t>(value, bytes);
    case DType::int32:
      return store_integer<std::int32_t>(value, bytes);
    case DType::int8:
      return store_integer<std::int8_t>(value, bytes);
    case DType::uint8:
      return store_integer<std::uint8_t>(value, bytes);
    case DType::boolean:
      return store_bits(static_cast<std::uint8_t>(!std::isnan(value) && value != 0.0 ? 1 : 0),
                        bytes);
  }
}

}  // namespace kernelloop
