#include "bench/physics.hpp"

#include <gmock/gmock.h>

#include "physics_fixture.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;

PhysicalLimit limit_of(const OpSpec& spec, double bytes, std::map<std::string, double> flops,
                       std::int64_t n = 8192, double clock_mhz = 0) {
  CostNumbers cost;
  cost.bytes = bytes;
  cost.flops = std::move(flops);
  return physical_limit(spec, {{"n", n}}, cost, h200(), clock_mhz);
}

TEST(PhysicalLimit, OfAGemmIsTheDensePeak) {
  const OpSpec spec = matmul_spec("bfloat16");
  const double operations = 2.0 * 8192 * 8192 * 8192;
  const PhysicalLimit limit = limit_of(spec, 4e8, {{"bf16_tensor", operations}});
  EXPECT_NEAR(limit.us, 0.97 * operations / 1070.5e12 * 1e6, 0.5);
  EXPECT_THAT(limit.reason, HasSubstr("1.1e+12 bf16_tensor operations at a dense peak of 1071 "
                                      "TFLOP/s (132 multiprocessors at 1980 MHz)"));
  // The best measured on an H200 stays above it: 820 TFLOP/s.
  EXPECT_GT(operations / 820e12 * 1e6, limit.us);
}

TEST(PhysicalLimit, DependsOnWhatMayServeTheClass) {
  const std::map<std::string, double> flops{{"fp32", 1e12}};
  EXPECT_NEAR(limit_of(matmul_spec("float32"), 0, flops).us, 0.97 * 1e12 / 66.9e12 * 1e6, 10);
  const PhysicalLimit tf32 = limit_of(matmul_spec("float32", R"("allow_tf32": true)"), 0, flops);
  EXPECT_NEAR(tf32.us, 0.97 * 1e12 / 535.3e12 * 1e6, 1);
  EXPECT_THAT(tf32.reason, HasSubstr("fp32 operations (on its tf32_tensor unit)"));
}

TEST(PhysicalLimit, OfMemoryLeavesOutWhatMayStayInL2) {
  const OpSpec spec = matmul_spec("float32");
  const double bandwidth = h200().datasheet_bandwidth;
  // An output of 256 MiB: 60 MiB of it may still be in L2 when the kernel ends.
  const double written = 4.0 * 8192 * 8192;
  const PhysicalLimit large = limit_of(spec, 2 * written, {});
  EXPECT_DOUBLE_EQ(large.us, 0.97 * (2 * written - 60.0 * 1024 * 1024) / bandwidth * 1e6);
  EXPECT_THAT(large.reason, HasSubstr("bytes over a memory bus of 4814 GB/s"));
  // One of 4 MiB may stay there whole: only what is read counts.
  const double small = 4.0 * 1024 * 1024;
  EXPECT_DOUBLE_EQ(limit_of(spec, 2 * small, {}, 1024).us, 0.97 * small / bandwidth * 1e6);
}

TEST(PhysicalLimit, IsTheLargestOfAll) {
  const OpSpec spec = matmul_spec("float32");
  const double both = limit_of(spec, 1e12, {{"fp32", 1e12}, {"sfu", 1e12}}).us;
  const double bytes = limit_of(spec, 1e12, {}).us;
  const double special = limit_of(spec, 0, {{"sfu", 1e12}}).us;
  EXPECT_DOUBLE_EQ(both, std::max(bytes, special));
  EXPECT_GT(bytes, special);
  EXPECT_GT(special, limit_of(spec, 0, {{"fp32", 1e12}}).us);
}

TEST(PhysicalLimit, FollowsABoardThatRunsFasterThanItsDatasheet) {
  const OpSpec spec = matmul_spec("float32");
  const std::map<std::string, double> flops{{"fp32", 1e12}};
  const double rated = limit_of(spec, 0, flops).us;
  EXPECT_DOUBLE_EQ(limit_of(spec, 0, flops, 8192, 1500).us, rated);
  EXPECT_NEAR(limit_of(spec, 0, flops, 8192, 2178).us, rated / 1.1, 1e-6 * rated);
}

TEST(PhysicalLimit, IsNoneForAnUnknownDevice) {
  CostNumbers cost;
  cost.bytes = 1e12;
  cost.flops = {{"fp32", 1e15}};
  EXPECT_EQ(physical_limit(matmul_spec("float32"), {{"n", 64}}, cost, DeviceDescription(), 0).us,
            0);
}

// The whole data of a small op fits into L2 and stays there between launches that are not flushed;
// the limit is of cold runs, and such an op is so far above it that a warm one passes too.
TEST(PhysicalLimit, LetsASmallOpPassAtTheSpeedOfL2) {
  const OpSpec spec = matmul_spec("float32");
  const double bytes = 3.0 * 4 * 1024 * 1024;
  // Reading 8 MiB at 9 TB/s takes 0.9 us, and no launch is shorter than 2 us.
  EXPECT_LT(limit_of(spec, bytes, {}, 1024).us, 2.0);
}

}  // namespace
}  // namespace kernelloop
