// Whole operators in bfloat16 and float32 against references in double.
#include <gtest/gtest.h>

#include "cpu_module.hpp"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

namespace kernelloop::testing {
namespace {

using Bfloat = std::uint16_t;

double widen(Bfloat bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}
Bfloat shorten(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<Bfloat>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

std::vector<Bfloat> random_bfloats(std::size_t n) {
  std::mt19937 generator(17);
  std::normal_distribution<double> normal;
  std::vector<Bfloat> values(n);
  for (Bfloat& value : values) value = shorten(normal(generator));
  return values;
}

void expect_close(Bfloat got, double expected) {
  EXPECT_NEAR(widen(got), expected, std::abs(expected) * 0x1p-8 + 1e-30);
}

TEST(Operators, SoftmaxOfBfloat16) {
  const CpuModule module(built_kernels("softmax_bf16"));
  for (const int cols : {1, 7, 96, 1000, 4099}) {
    for (const std::uint64_t seed : {0, 4}) {
      constexpr std::size_t rows = 3;
      const auto width = static_cast<std::size_t>(cols);
      const std::vector<Bfloat> x = random_bfloats(rows * width);
      std::vector<Bfloat> y(x.size(), 0xFFFF);
      const LaunchResult result = module.launch("softmax_rows", shape(rows, 256, width * 4, seed),
                                                x.data(), y.data(), cols);
      ASSERT_EQ(result.status, KERNELLOOP_CPU_OK) << result.message;
      for (std::size_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i) sum += std::exp(widen(x[row * width + i]));
        for (std::size_t i = 0; i < width; ++i) {
          expect_close(y[row * width + i], std::exp(widen(x[row * width + i])) / sum);
        }
      }
    }
  }
}

TEST(Operators, RmsnormOfBfloat16ByWarps) {
  const CpuModule module(built_kernels("rmsnorm_bf16"));
  constexpr int rows = 5;
  constexpr int cols = 260;
  constexpr float eps = 1e-5f;
  const std::vector<Bfloat> x = random_bfloats(rows * cols);
  const std::vector<Bfloat> weight = random_bfloats(cols);
  for (const std::uint64_t seed : {0, 9}) {
    std::vector<Bfloat> y(x.size(), 0xFFFF);
    const LaunchResult result = module.launch("rmsnorm_warp", shape(2, 128, 0, seed), x.data(),
                                              weight.data(), y.data(), rows, cols, eps);
    ASSERT_EQ(result.status, KERNELLOOP_CPU_OK) << result.message;
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < cols; ++i) sum += std::pow(widen(x[row * cols + i]), 2);
      const double scale = 1 / std::sqrt(sum / cols + static_cast<double>(eps));
      for (std::size_t i = 0; i < cols; ++i) {
        expect_close(y[row * cols + i], widen(x[row * cols + i]) * scale * widen(weight[i]));
      }
    }
  }
}

TEST(Operators, RmsnormOfFloat32ByBlocks) {
  const CpuModule module(built_kernels("rmsnorm_bf16"));
  constexpr std::size_t rows = 3;
  constexpr int vectors = 300;
  constexpr std::size_t cols = 4 * vectors;
  // float4 wants 16 bytes of alignment; a vector of it has that.
  struct alignas(16) Four {
    float value[4];
  };
  std::vector<Four> x(rows * vectors);
  std::mt19937 generator(3);
  std::normal_distribution<float> normal;
  for (Four& four : x) {
    for (float& value : four.value) value = normal(generator);
  }
  std::vector<Four> y(x.size());
  ASSERT_EQ(
      module.launch("rmsnorm_float4", shape(rows, 160, 0, 2), x.data(), y.data(), vectors, 1e-6f)
          .status,
      KERNELLOOP_CPU_OK);
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < cols; ++i) {
      sum += std::pow(static_cast<double>(x[row * vectors + i / 4].value[i % 4]), 2);
    }
    const double scale = 1 / std::sqrt(sum / cols + 1e-6);
    for (std::size_t i = 0; i < cols; ++i) {
      const double expected = x[row * vectors + i / 4].value[i % 4] * scale;
      EXPECT_NEAR(static_cast<double>(y[row * vectors + i / 4].value[i % 4]), expected,
                  std::abs(expected) * 1e-5);
    }
  }
}

}  // namespace
}  // namespace kernelloop::testing
