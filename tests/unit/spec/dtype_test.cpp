#include "spec/dtype.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace kernelloop {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

std::uint64_t stored(DType type, double value) {
  std::array<std::byte, 8> bytes{};
  store_element(type, value, bytes.data());
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

double loaded(DType type, std::uint64_t bits) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &bits, bytes.size());
  return load_element(type, bytes.data());
}

TEST(DType, TableAndNamesAgree) {
  ASSERT_EQ(dtype_names().size(), 11U);
  for (const std::string& name : dtype_names()) {
    const auto type = parse_dtype(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(info(*type).name, name);
    EXPECT_EQ(info(*type).type, *type);
  }
  EXPECT_FALSE(parse_dtype("bfloat17"));
  EXPECT_FALSE(parse_dtype(""));
}

TEST(DType, UnitRoundoffIsHalfTheSpacingAtOne) {
  for (const std::string& name : dtype_names()) {
    const DTypeInfo& type = info(*parse_dtype(name));
    if (!type.floating) continue;
    const double roundoff = type.unit_roundoff;
    // One plus half a spacing is a tie and goes to even; a little more goes up.
    EXPECT_EQ(loaded(type.type, stored(type.type, 1.0 + roundoff)), 1.0) << name;
    if (type.type == DType::float64) continue;
    EXPECT_EQ(loaded(type.type, stored(type.type, 1.0 + roundoff * 1.001)), 1.0 + 2 * roundoff)
        << name;
  }
}

TEST(DType, TheLargestValueIsExact) {
  for (const std::string& name : dtype_names()) {
    const DTypeInfo& type = info(*parse_dtype(name));
    EXPECT_EQ(loaded(type.type, stored(type.type, type.largest)), type.largest) << name;
  }
}

struct Pattern {
  DType type;
  double value;
  std::uint64_t bits;
};

class KnownPattern : public testing::TestWithParam<Pattern> {};

TEST_P(KnownPattern, Stores) {
  const Pattern& pattern = GetParam();
  EXPECT_EQ(stored(pattern.type, pattern.value), pattern.bits)
      << info(pattern.type).name << " " << pattern.value;
}

INSTANTIATE_TEST_SUITE_P(
    DType, KnownPattern,
    testing::Values(
        // float32
        Pattern{DType::float32, 1.0, 0x3F800000}, Pattern{DType::float32, 0x1p-149, 1},
        Pattern{DType::float32, 0x1.fffffefp127, 0x7F7FFFFF},
        Pattern{DType::float32, 0x1.ffffffp127, 0x7F800000},
        Pattern{DType::float32, -0.0, 0x80000000},
        // float16: ties, subnormals, overflow
        Pattern{DType::float16, 1.0, 0x3C00}, Pattern{DType::float16, -2.0, 0xC000},
        Pattern{DType::float16, 65504.0, 0x7BFF}, Pattern{DType::float16, 65519.99, 0x7BFF},
        Pattern{DType::float16, 65520.0, 0x7C00}, Pattern{DType::float16, -1e300, 0xFC00},
        Pattern{DType::float16, 0x1p-24, 0x0001}, Pattern{DType::float16, 0x1p-25, 0x0000},
        Pattern{DType::float16, 0x1.00001p-25, 0x0001}, Pattern{DType::float16, 0x1.8p-24, 0x0002},
        Pattern{DType::float16, 0x1.ffcp-15, 0x0400},
        Pattern{DType::float16, 1.00048828125, 0x3C00},
        Pattern{DType::float16, 1.00146484375, 0x3C02}, Pattern{DType::float16, -0.0, 0x8000},
        Pattern{DType::float16, k_infinity, 0x7C00}, Pattern{DType::float16, k_nan, 0x7FFF},
        Pattern{DType::float16, 5e-324, 0x0000},
        // bfloat16
        Pattern{DType::bfloat16, 1.0, 0x3F80}, Pattern{DType::bfloat16, 3.140625, 0x4049},
        Pattern{DType::bfloat16, 1.00390625, 0x3F80}, Pattern{DType::bfloat16, 1.01171875, 0x3F82},
        // Rounding by way of float32 would round twice and give 0x3F80.
        Pattern{DType::bfloat16, 1.00390625 + 0x1p-40, 0x3F81},
        Pattern{DType::bfloat16, 0x1.fep127, 0x7F7F}, Pattern{DType::bfloat16, 0x1.ffp127, 0x7F80},
        Pattern{DType::bfloat16, 0x1p-133, 0x0001}, Pattern{DType::bfloat16, 0x1p-134, 0x0000},
        Pattern{DType::bfloat16, -k_infinity, 0xFF80},
        // float8_e4m3: no infinity, saturates
        Pattern{DType::float8_e4m3, 1.0, 0x38}, Pattern{DType::float8_e4m3, 448.0, 0x7E},
        Pattern{DType::float8_e4m3, 1e9, 0x7E}, Pattern{DType::float8_e4m3, -1e9, 0xFE},
        Pattern{DType::float8_e4m3, k_infinity, 0x7E},
        Pattern{DType::float8_e4m3, -k_infinity, 0xFE}, Pattern{DType::float8_e4m3, k_nan, 0x7F},
        Pattern{DType::float8_e4m3, 0x1p-9, 0x01}, Pattern{DType::float8_e4m3, 0x1p-10, 0x00},
        Pattern{DType::float8_e4m3, 0x1.8p-9, 0x02}, Pattern{DType::float8_e4m3, 0x1p-6, 0x08},
        // float8_e5m2
        Pattern{DType::float8_e5m2, 1.0, 0x3C}, Pattern{DType::float8_e5m2, 57344.0, 0x7B},
        Pattern{DType::float8_e5m2, 1e9, 0x7B}, Pattern{DType::float8_e5m2, k_infinity, 0x7B},
        Pattern{DType::float8_e5m2, k_nan, 0x7E}, Pattern{DType::float8_e5m2, 0x1p-16, 0x01},
        Pattern{DType::float8_e5m2, 0x1p-17, 0x00}, Pattern{DType::float8_e5m2, -0.0, 0x80},
        // integers: nearest even, saturate, NaN is 0
        Pattern{DType::int32, 2.5, 2}, Pattern{DType::int32, 3.5, 4},
        Pattern{DType::int32, -2.5, 0xFFFFFFFE}, Pattern{DType::int32, 1e10, 0x7FFFFFFF},
        Pattern{DType::int32, -1e10, 0x80000000}, Pattern{DType::int32, k_nan, 0},
        Pattern{DType::int64, 1e30, 0x7FFFFFFFFFFFFFFF},
        Pattern{DType::int64, -k_infinity, 0x8000000000000000}, Pattern{DType::int8, 127.5, 0x7F},
        Pattern{DType::int8, -128.4, 0x80}, Pattern{DType::int8, -0.6, 0xFF},
        Pattern{DType::uint8, 255.5, 0xFF}, Pattern{DType::uint8, -3.0, 0x00},
        Pattern{DType::uint8, 127.5, 0x80}, Pattern{DType::boolean, 0.25, 1},
        Pattern{DType::boolean, -0.0, 0}, Pattern{DType::boolean, k_nan, 0}));

TEST(DType, LoadsWhatHasNoCounterpartInStoring) {
  EXPECT_TRUE(std::isnan(loaded(DType::float8_e4m3, 0x7F)));
  EXPECT_TRUE(std::isnan(loaded(DType::float8_e4m3, 0xFF)));
  EXPECT_EQ(loaded(DType::float8_e5m2, 0x7C), k_infinity);
  EXPECT_EQ(loaded(DType::float8_e5m2, 0xFC), -k_infinity);
  EXPECT_TRUE(std::isnan(loaded(DType::float8_e5m2, 0x7D)));
  EXPECT_EQ(loaded(DType::float16, 0xFC00), -k_infinity);
  EXPECT_TRUE(std::isnan(loaded(DType::float16, 0x7C01)));
  EXPECT_TRUE(std::isnan(loaded(DType::bfloat16, 0xFFC0)));
  EXPECT_EQ(loaded(DType::boolean, 0x80), 1.0);
  EXPECT_EQ(loaded(DType::int8, 0x80), -128.0);
  EXPECT_EQ(loaded(DType::uint8, 0x80), 128.0);
}

// Every finite pattern survives load and store, and every value between two neighbours goes to
// the nearer of them.
TEST(DType, SmallFloatsRoundToTheNearestNeighbour) {
  for (const DType type :
       {DType::float16, DType::bfloat16, DType::float8_e4m3, DType::float8_e5m2}) {
    const std::uint64_t sign = info(type).size == 2 ? 0x8000 : 0x80;
    for (std::uint64_t bits = 0; loaded(type, bits) < info(type).largest; ++bits) {
      const double low = loaded(type, bits);
      const double high = loaded(type, bits + 1);
      ASSERT_LT(low, high) << info(type).name << " " << bits;
      ASSERT_EQ(stored(type, low), bits);
      ASSERT_EQ(stored(type, -low), bits | sign);
      const double middle = low + (high - low) / 2;
      ASSERT_EQ(stored(type, middle), bits % 2 == 0 ? bits : bits + 1);
      ASSERT_EQ(stored(type, std::nextafter(middle, low)), bits);
      ASSERT_EQ(stored(type, std::nextafter(middle, high)), bits + 1);
    }
  }
}

}  // namespace
}  // namespace kernelloop
