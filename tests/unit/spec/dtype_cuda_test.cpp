// Our conversions against those of the CUDA headers, bit for bit. Built where the headers are.
#include "spec/dtype.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace kernelloop {
namespace {

template <typename Storage>
Storage stored(DType type, double value) {
  std::array<std::byte, sizeof(Storage)> bytes{};
  store_element(type, value, bytes.data());
  Storage bits{};
  std::memcpy(&bits, bytes.data(), sizeof bits);
  return bits;
}

// Values of every magnitude, and the special ones.
std::vector<double> samples() {
  std::vector<double> values{0.0,
                             -0.0,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::max(),
                             5e-324};
  std::mt19937_64 random(20240607);  // any fixed seed: the property holds for all values
  std::uniform_real_distribution<double> mantissa(1.0, 2.0);
  std::uniform_int_distribution<int> exponent(-150, 150);
  std::uniform_int_distribution<int> coin(0, 1);
  for (int i = 0; i < 20000; ++i) {
    double value = std::ldexp(mantissa(random), exponent(random) / (1 + 9 * coin(random)));
    // Few bits make ties likely.
    if (coin(random) == 1) value = std::ldexp(std::round(std::ldexp(value, 3)), -3);
    values.push_back(coin(random) == 1 ? value : -value);
  }
  return values;
}

TEST(DTypeAgainstCuda, Converts) {
  for (const double value : samples()) {
    ASSERT_EQ(stored<__half_raw>(DType::float16, value).x, __half_raw(__double2half(value)).x)
        << value;
    ASSERT_EQ(stored<__nv_bfloat16_raw>(DType::bfloat16, value).x,
              __nv_bfloat16_raw(__double2bfloat16(value)).x)
        << value;
    ASSERT_EQ(stored<__nv_fp8_storage_t>(DType::float8_e4m3, value),
              __nv_cvt_double_to_fp8(value, __NV_SATFINITE, __NV_E4M3))
        << value;
    ASSERT_EQ(stored<__nv_fp8_storage_t>(DType::float8_e5m2, value),
              __nv_cvt_double_to_fp8(value, __NV_SATFINITE, __NV_E5M2))
        << value;
  }
}

TEST(DTypeAgainstCuda, NotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {nan, -nan}) {
    EXPECT_EQ(stored<__half_raw>(DType::float16, value).x, __half_raw(__double2half(value)).x);
    EXPECT_EQ(stored<__nv_bfloat16_raw>(DType::bfloat16, value).x,
              __nv_bfloat16_raw(__double2bfloat16(value)).x);
    EXPECT_EQ(stored<__nv_fp8_storage_t>(DType::float8_e4m3, value),
              __nv_cvt_double_to_fp8(value, __NV_SATFINITE, __NV_E4M3));
    EXPECT_EQ(stored<__nv_fp8_storage_t>(DType::float8_e5m2, value),
              __nv_cvt_double_to_fp8(value, __NV_SATFINITE, __NV_E5M2));
  }
}

}  // namespace
}  // namespace kernelloop
