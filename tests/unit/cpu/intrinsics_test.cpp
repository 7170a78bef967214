// Integer and floating-point intrinsics against values worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_module.hpp"

#include <array>
#include <cmath>

namespace kernelloop::testing {
namespace {

TEST(Intrinsics, Integers) {
  const CpuModule module(built_kernels("intrinsics"));
  std::array<long long, 28> out{};
  ASSERT_EQ(module.launch("integers", shape(1, 1), out.data()).status, KERNELLOOP_CPU_OK);
  const std::array<long long, 28> expected = {8,
                                              33,
                                              31,
                                              32,
                                              63,
                                              4,
                                              0,
                                              0x80000000ll,
                                              0x77553311,
                                              0xFFFFFFFFll,
                                              3,
                                              0xC0000000ll,
                                              -2,
                                              0xFFFFFFFEll,
                                              -2,
                                              17,
                                              100 + 1 * 2 - 1 * 3 + 2 * 4 + 3 * 5,
                                              1,
                                              3,
                                              2,
                                              -2,
                                              3,
                                              -3,
                                              2147483647,
                                              0,
                                              0x3F800000,
                                              0x3FF0000000000000ll,
                                              7};
  EXPECT_EQ(out, expected);
}

TEST(Intrinsics, PartsOfAWord) {
  const CpuModule module(built_kernels("intrinsics"));
  std::array<unsigned, 37> out{};
  ASSERT_EQ(module.launch("parts", shape(1, 1), out.data()).status, KERNELLOOP_CPU_OK);
  const std::array<unsigned, 37> expected = {
      0x00018000u, 0x01800200u,               // sums that wrap
      0x7FFF8000u, 0xFF8002FFu,               // that saturate
      0xFF000102u, 0x80007F00u, 0x00000002u,  // differences
      0x80000001u, 0x7F017F01u, 0x80FF0100u, 0x7FFFFFFFu, 0xFFFF0001u,
      0x01FF7F00u,                            // their magnitudes
      0xFFFE0002u, 0x02020301u, 0xFF010202u,  // averages: halves away from zero, then
                                              // down
      0x7FFF0001u, 0x8000FFFFu, 0x80FF0101u, 0x7F010101u, 0xFF00FF00u, 0x0000FFFFu, 0xFFFF0000u,
      0x00010000u, 0x01010100u, 255u + 1u + 128u + 1u, 0xFFFEu + 2u, 0xFFFFFFFFu, 0u, 0x80000003u,
      0x80000002u, 1u, 0x00000003u, 0x00050002u, 2u, 0xFFFFFFFFu, 1u};
  EXPECT_EQ(out, expected);
}

TEST(Intrinsics, Floats) {
  const CpuModule module(built_kernels("intrinsics"));
  std::array<float, 28> out{};
  ASSERT_EQ(module.launch("floats", shape(1, 1), out.data(), 3.0f).status, KERNELLOOP_CPU_OK);
  const float third = 1.0f / 3.0f;  // rounded up
  const float product = static_cast<float>(static_cast<double>(third) * third);
  const float product_up = static_cast<double>(product) < static_cast<double>(third) * third
                               ? std::nextafter(product, 1.0f)
                               : product;
  const float root = std::sqrt(2.0f);  // rounded down
  const std::array<float, 28> expected = {1.0f,
                                          1.0f + 0x1p-23f,
                                          1.0f - 0x1p-24f,
                                          -1.0f,
                                          product_up,
                                          std::nextafter(third, 0.0f),
                                          third,
                                          third,
                                          root,
                                          std::nextafter(root, 2.0f),
                                          0.0f,
                                          1.0f + 0x1p-22f,
                                          16777216.0f,
                                          16777218.0f,
                                          0.0f,
                                          1.0f,
                                          2.5f,
                                          0.5f,
                                          8.0f,
                                          1.0f,
                                          0.0f,
                                          0.25f,
                                          0.0f,
                                          1.0f,
                                          -1.0f,
                                          0.0f,
                                          4.0f + 6.0f + 7.0f + 9.0f,
                                          1.0f};
  EXPECT_EQ(out, expected);
}

TEST(Intrinsics, ClocksAndAddressSpaces) {
  const CpuModule module(built_kernels("intrinsics"));
  int out = 0;
  ASSERT_EQ(module.launch("clocks", shape(1, 1), &out).status, KERNELLOOP_CPU_OK);
  EXPECT_EQ(out, 1);
}

}  // namespace
}  // namespace kernelloop::testing
