#include "bench/peak_rates.hpp"

#include <gtest/gtest.h>

#include "physics_fixture.hpp"

namespace kernelloop {
namespace {

// TFLOP/s of a unit at the boost clock that the datasheet rates it at.
double rated(const char* architecture, const char* unit, int multiprocessors, double clock_hz) {
  return operations_per_clock(architecture, unit) * multiprocessors * clock_hz * 1e-12;
}

// Datasheets round to three figures.
constexpr double k_rounding = 0.005;

TEST(PeakRates, AreThoseOfTheDatasheets) {
  // H100 SXM: 132 multiprocessors, tensor cores rated at 1830 MHz, the other pipes at 1980 MHz.
  EXPECT_NEAR(rated("sm_90", "bf16_tensor", 132, 1.83e9), 989.4, 989.4 * k_rounding);
  EXPECT_NEAR(rated("sm_90", "fp16_tensor", 132, 1.83e9), 989.4, 989.4 * k_rounding);
  EXPECT_NEAR(rated("sm_90", "tf32_tensor", 132, 1.83e9), 494.7, 494.7 * k_rounding);
  EXPECT_NEAR(rated("sm_90", "fp8_tensor", 132, 1.83e9), 1978.9, 1978.9 * k_rounding);
  EXPECT_NEAR(rated("sm_90", "int8_tensor", 132, 1.83e9), 1978.9, 1978.9 * k_rounding);
  EXPECT_NEAR(rated("sm_90", "fp32", 132, 1.98e9), 66.9, 66.9 * k_rounding);
  EXPECT_NEAR(rated("sm_90", "fp64", 132, 1.98e9), 33.5, 33.5 * k_rounding);
  EXPECT_NEAR(rated("sm_90", "fp64_tensor", 132, 1.98e9), 66.9, 66.9 * k_rounding);
  EXPECT_NEAR(rated("sm_90", "fp16", 132, 1.98e9), 133.8, 133.8 * k_rounding);
  // A100: 108 at 1410 MHz.
  EXPECT_NEAR(rated("sm_80", "bf16_tensor", 108, 1.41e9), 312, 312 * k_rounding);
  EXPECT_NEAR(rated("sm_80", "tf32_tensor", 108, 1.41e9), 156, 156 * k_rounding);
  EXPECT_NEAR(rated("sm_80", "int8_tensor", 108, 1.41e9), 624, 624 * k_rounding);
  EXPECT_NEAR(rated("sm_80", "fp64_tensor", 108, 1.41e9), 19.5, 19.5 * k_rounding);
  EXPECT_NEAR(rated("sm_80", "fp64", 108, 1.41e9), 9.7, 9.7 * k_rounding);
  // V100: 80 at 1530 MHz; T4: 40 at 1590 MHz.
  EXPECT_NEAR(rated("sm_70", "fp16_tensor", 80, 1.53e9), 125, 125 * k_rounding);
  EXPECT_NEAR(rated("sm_75", "int8_tensor", 40, 1.59e9), 130, 130 * k_rounding);
  // RTX A6000: 84 at 1800 MHz; L40S: 142 at 2520 MHz.
  EXPECT_NEAR(rated("sm_86", "bf16_tensor", 84, 1.80e9), 154.8, 154.8 * k_rounding);
  EXPECT_NEAR(rated("sm_89", "fp32", 142, 2.52e9), 91.6, 91.6 * k_rounding);
  EXPECT_NEAR(rated("sm_89", "fp8_tensor", 142, 2.52e9), 733, 733 * k_rounding);
  // B200: 148 at 1850 MHz.
  EXPECT_NEAR(rated("sm_100", "bf16_tensor", 148, 1.85e9), 2250, 2250 * k_rounding);
}

TEST(PeakRates, BoundNothingThatIsNotInTheTable) {
  EXPECT_EQ(operations_per_clock("sm_61", "fp32"), 0);
  EXPECT_EQ(operations_per_clock("sm_90", "fp4_tensor"), 0);
  DeviceDescription device = h200();
  device.architecture = "sm_61";
  EXPECT_FALSE(peak_rate(device, 1e9, matmul_spec("float32"), "fp32"));
  device.architecture = "sm_75";
  EXPECT_FALSE(peak_rate(device, 1e9, matmul_spec("bfloat16"), "bf16_tensor"));
}

std::string unit_of(const OpSpec& spec, std::string_view arithmetic) {
  const auto peak = peak_rate(h200(), 1.98e9, spec, arithmetic);
  return peak ? peak->unit : "";
}

TEST(PeakRates, AFasterUnitServesWhereThePrecisionLetsIt) {
  EXPECT_EQ(unit_of(matmul_spec("float32"), "fp32"), "fp32");
  EXPECT_EQ(unit_of(matmul_spec("float32", R"("allow_tf32": true)"), "fp32"), "tf32_tensor");
  EXPECT_EQ(unit_of(matmul_spec("bfloat16"), "fp32"), "bf16_tensor");
  EXPECT_EQ(unit_of(matmul_spec("bfloat16", R"("tensor_core_inputs": [])"), "fp32"), "fp32");
  EXPECT_EQ(unit_of(matmul_spec("bfloat16"), "bf16_tensor"), "bf16_tensor");
  EXPECT_EQ(unit_of(matmul_spec("float8_e4m3"), "bf16_tensor"), "fp8_tensor");
  EXPECT_EQ(unit_of(matmul_spec("float32", R"("allow_half_arithmetic": true)"), "fp32"), "fp16");
  EXPECT_EQ(unit_of(matmul_spec("int8"), "int32"), "int8_tensor");
  EXPECT_EQ(unit_of(matmul_spec("bfloat16"), "sfu"), "sfu");
  EXPECT_EQ(unit_of(matmul_spec("bfloat16"), "fp64"), "fp64_tensor");
}

}  // namespace
}  // namespace kernelloop
