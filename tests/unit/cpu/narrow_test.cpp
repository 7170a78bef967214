// The 16-bit and 8-bit types: against CUDA's own functions where its headers are installed, and
// against properties that hold anywhere.
#include <gtest/gtest.h>

#include "cpu_module.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <vector>
#ifdef KERNELLOOP_TEST_CUDA
#include "cuda_reference.hpp"
#endif

namespace kernelloop::testing {
namespace {

// Floats of every kind: all patterns of the upper bits, with lower bits that round down, to a tie
// and up; and random ones.
std::vector<float> many_floats() {
  std::vector<float> values;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const std::uint32_t lower : {0x0u, 0x1u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu, 0x1000u}) {
      values.push_back(std::bit_cast<float>(upper << 16 | lower));
    }
  }
  std::mt19937 generator(11);
  while (values.size() % 1024 != 0 || values.size() < 600000) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(generator())));
  }
  return values;
}

class Narrow : public ::testing::Test {
 protected:
  // A launch over `count` values (a multiple of 1024), four threads' worth a piece.
  static LaunchShape over(std::size_t count) { return shape(1, count / 1024); }
  std::vector<std::uint16_t> shorten(const std::vector<float>& in) const {
    std::vector<std::uint16_t> out(in.size() * 12);
    EXPECT_EQ(module_.launch("shorten", over(in.size()), in.data(), out.data(), 1024).status,
              KERNELLOOP_CPU_OK);
    return out;
  }
  const CpuModule module_{built_kernels("narrow")};
};

TEST_F(Narrow, WideningAndShorteningAgainGivesTheSameBits) {
  std::vector<std::uint16_t> in(65536);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
  std::vector<float> half(in.size());
  std::vector<float> bfloat(in.size());
  ASSERT_EQ(
      module_.launch("widen", over(in.size()), in.data(), half.data(), bfloat.data(), 1024).status,
      KERNELLOOP_CPU_OK);
  const std::vector<std::uint16_t> from_half = shorten(half);
  const std::vector<std::uint16_t> from_bfloat = shorten(bfloat);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!std::isnan(half[i])) {
      for (std::size_t mode = 0; mode < 4; ++mode) ASSERT_EQ(from_half[12 * i + mode], in[i]);
    }
    if (!std::isnan(bfloat[i])) {
      for (std::size_t mode = 4; mode < 8; ++mode) ASSERT_EQ(from_bfloat[12 * i + mode], in[i]);
    }
  }
  EXPECT_EQ(half[0x3C00], 1.0f);
  EXPECT_EQ(half[0x0001], 0x1p-24f);
  EXPECT_EQ(half[0x7BFF], 65504.0f);
  EXPECT_EQ(half[0xFC00], -INFINITY);
  EXPECT_TRUE(std::isnan(half[0x7C01]));
  EXPECT_EQ(bfloat[0x3F80], 1.0f);
}

TEST_F(Narrow, RoundingAtTheEdges) {
  std::vector<float> in = {65519.0f,        65520.0f,  0x1p-25f, 0x1.8p-25f, 1.0f + 0x1p-11f,
                           1.0f + 0x3p-11f, 448.0f,    464.0f,   464.1f,     57344.0f,
                           61440.0f,        -INFINITY, NAN,      0x1p-10f,   0x1.8p-10f};
  in.resize(1024);
  const std::vector<std::uint16_t> out = shorten(in);
  const auto at = [&out](std::size_t value, std::size_t what) { return out[12 * value + what]; };
  EXPECT_EQ(at(0, 0), 0x7BFF);
  EXPECT_EQ(at(1, 0), 0x7C00) << "a tie beyond the largest half";
  EXPECT_EQ(at(1, 1), 0x7BFF) << "toward zero";
  EXPECT_EQ(at(2, 0), 0x0000) << "a tie of half the least subnormal";
  EXPECT_EQ(at(2, 2), 0x0001) << "upwards";
  EXPECT_EQ(at(3, 0), 0x0001);
  EXPECT_EQ(at(4, 0), 0x3C00) << "a tie to even";
  EXPECT_EQ(at(5, 0), 0x3C02) << "a tie to even";
  EXPECT_EQ(at(6, 8), 0x7E);
  EXPECT_EQ(at(7, 10), 0x7E) << "a tie between 448 and what would be 480";
  EXPECT_EQ(at(8, 10), 0x7F) << "without saturation: NaN";
  EXPECT_EQ(at(8, 8), 0x7E) << "with saturation";
  EXPECT_EQ(at(9, 9), 0x7B);
  EXPECT_EQ(at(10, 11), 0x7C) << "without saturation: infinity";
  EXPECT_EQ(at(11, 8), 0xFE);
  EXPECT_EQ(at(11, 11), 0xFC);
  EXPECT_EQ(at(12, 0), 0x7FFF);
  EXPECT_EQ(at(12, 4), 0x7FFF);
  EXPECT_EQ(at(12, 8), 0x7F);
  EXPECT_EQ(at(13, 8), 0x00) << "a tie of half the least e4m3 subnormal";
  EXPECT_EQ(at(14, 8), 0x01);
}

TEST_F(Narrow, FusedMultiplyAddRoundsOnce) {
  std::mt19937 generator(5);
  constexpr std::size_t n = 20000;
  std::vector<std::uint16_t> a(n), b(n), c(n), out(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<std::uint16_t>(generator());
    b[i] = static_cast<std::uint16_t>(generator());
    c[i] = static_cast<std::uint16_t>(generator());
  }
  // 1.5 * (1 + 3 * 2^-7) is a tie between two bfloat16; the third term, far below, decides it.
  a[0] = a[1] = 0x3FC0;
  b[0] = b[1] = 0x3F83;
  c[0] = 0x0080;
  c[1] = 0x8080;
  ASSERT_EQ(module_
                .launch("fused", shape(1, 32), a.data(), b.data(), c.data(), out.data(),
                        static_cast<int>(n))
                .status,
            KERNELLOOP_CPU_OK);
  const auto widen = [](std::uint16_t bits) {
    return static_cast<long double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
  };
  // x87's 64 bits hold a product of two bfloat16 and, where it matters here, the sum.
  for (std::size_t i = 2; i < n; ++i) {
    const long double exact = widen(a[i]) * widen(b[i]) + widen(c[i]);
    const long double got = widen(out[2 * i + 1]);
    if (std::isnan(exact) || std::isinf(got) || std::abs(exact) < 0x1p-126L) continue;
    EXPECT_LE(std::abs(got - exact), std::abs(exact) * (0x1p-8L + 0x1p-40L)) << i;
  }
  EXPECT_EQ(out[1], 0x3FC5);
  EXPECT_EQ(out[3], 0x3FC4);
}

TEST_F(Narrow, WhatOnlyDeviceCodeHas) {
  std::array<float, 17> out{};
  alignas(4) std::array<std::uint16_t, 2> sum2{};
  alignas(4) std::array<std::uint16_t, 2> sum16{};
  std::uint16_t sum = 0;
  ASSERT_EQ(module_.launch("device_only", shape(1, 32), out.data(), sum2.data(), sum16.data(), &sum)
                .status,
            KERNELLOOP_CPU_OK);
  const std::array<float, 17> expected = {496.0f, 3.0f,     7.0f,  1.0f, 0.0f, 3.0f,
                                          0.5f,   0.125f,   1.0f,  8.0f, 0.0f, 1.0f,
                                          1.0f,   65535.0f, 3.25f, 4.0f, 1.0f};
  EXPECT_EQ(out, expected);
  EXPECT_EQ(sum2[0], 0x5000);   // 32
  EXPECT_EQ(sum2[1], 0x5400);   // 64
  EXPECT_EQ(sum16[0], 0x4180);  // 16
  EXPECT_EQ(sum16[1], 0x4100);  // 8
  EXPECT_EQ(sum, 0x4C00);       // 16
}

#ifdef KERNELLOOP_TEST_CUDA

TEST_F(Narrow, WideningIsCudas) {
  std::vector<std::uint16_t> in(65536);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
  std::vector<float> half(in.size());
  std::vector<float> bfloat(in.size());
  module_.launch("widen", over(in.size()), in.data(), half.data(), bfloat.data(), 1024);
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(half[i]),
              std::bit_cast<std::uint32_t>(cuda::widen_half(in[i])))
        << std::hex << i;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(bfloat[i]),
              std::bit_cast<std::uint32_t>(cuda::widen_bfloat(in[i])))
        << std::hex << i;
  }
  std::array<std::uint16_t, 256> e4m3{};
  std::array<std::uint16_t, 256> e5m2{};
  module_.launch("widen_fp8", shape(1, 256), e4m3.data(), e5m2.data());
  for (std::size_t i = 0; i < 256; ++i) {
    EXPECT_EQ(e4m3[i], cuda::widen_e4m3(static_cast<std::uint8_t>(i))) << std::hex << i;
    EXPECT_EQ(e5m2[i], cuda::widen_e5m2(static_cast<std::uint8_t>(i))) << std::hex << i;
  }
}

TEST_F(Narrow, ShorteningIsCudas) {
  const std::vector<float> in = many_floats();
  const std::vector<std::uint16_t> out = shorten(in);
  std::array<std::uint16_t, 12> expected{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    cuda::shorten(in[i], expected.data());
    for (std::size_t what = 0; what < 12; ++what) {
      ASSERT_EQ(out[12 * i + what], expected[what])
          << "conversion " << what << " of " << std::hexfloat << in[i];
    }
  }
}

TEST_F(Narrow, ShorteningDoublesIsCudas) {
  std::mt19937_64 generator(23);
  std::vector<double> in(65536);
  for (std::size_t i = 0; i < in.size(); ++i) {
    // Near ties of each format, and anything at all.
    const auto base = static_cast<double>(std::bit_cast<float>(
        static_cast<std::uint32_t>(generator() & 0xFFFFF000u) | (i % 2 != 0 ? 0x8000u : 0u)));
    in[i] = i % 4 == 0   ? std::bit_cast<double>(generator())
            : i % 4 == 1 ? base
            : i % 4 == 2 ? std::nextafter(base, 1e300)
                         : std::nextafter(base, -1e300);
  }
  std::vector<std::uint16_t> out(in.size() * 4);
  module_.launch("shorten_double", over(in.size()), in.data(), out.data(), 1024);
  std::array<std::uint16_t, 4> expected{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    cuda::shorten_double(in[i], expected.data());
    for (std::size_t what = 0; what < 4; ++what) {
      ASSERT_EQ(out[4 * i + what], expected[what])
          << "conversion " << what << " of " << std::hexfloat << in[i];
    }
  }
}

TEST_F(Narrow, ArithmeticIsCudas) {
  std::mt19937 generator(31);
  const std::array<std::uint16_t, 12> special = {0,      0x8000, 1,      0x8001, 0x3C00, 0x7C00,
                                                 0xFC00, 0x7FFF, 0x7F80, 0xFF80, 0x7BFF, 0x0400};
  std::vector<std::uint16_t> a, b;
  for (const std::uint16_t x : special) {
    for (const std::uint16_t y : special) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  while (a.size() < 100000) {
    a.push_back(static_cast<std::uint16_t>(generator()));
    b.push_back(static_cast<std::uint16_t>(generator()));
  }
  std::vector<std::uint16_t> half(8 * a.size());
  std::vector<std::uint16_t> bfloat(8 * a.size());
  module_.launch("arithmetic", shape(1, 64), a.data(), b.data(), half.data(), bfloat.data(),
                 static_cast<int>(a.size()));
  const auto is_nan = [](std::uint16_t bits, std::uint16_t infinity) {
    return (bits & 0x7FFF) > infinity;
  };
  std::array<std::uint16_t, 8> expected{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    cuda::half_arithmetic(a[i], b[i], expected.data());
    for (std::size_t what = 0; what < 7; ++what) {
      const std::uint16_t got = half[8 * i + what];
      if (what < 6 && is_nan(got, 0x7C00) && is_nan(expected[what], 0x7C00)) continue;
      ASSERT_EQ(got, expected[what]) << what << std::hex << " half " << a[i] << " " << b[i];
    }
    cuda::bfloat_arithmetic(a[i], b[i], expected.data());
    for (std::size_t what = 0; what < 7; ++what) {
      const std::uint16_t got = bfloat[8 * i + what];
      if (what < 6 && is_nan(got, 0x7F80) && is_nan(expected[what], 0x7F80)) continue;
      ASSERT_EQ(got, expected[what]) << what << std::hex << " bfloat " << a[i] << " " << b[i];
    }
  }
}

#else

TEST_F(Narrow, IsCudas) { GTEST_SKIP() << "CUDA's headers are not installed"; }

#endif

}  // namespace
}  // namespace kernelloop::testing
