// Timing. What is asserted is what physics allows, not how fast this machine is.
#include "gpu_test.hpp"

#include <algorithm>

namespace kernelloop::test {
namespace {

using ::testing::Each;
using ::testing::Gt;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

class GpuTiming : public GpuTest {};

// 512 MiB each way, far more than L2 holds.
constexpr int k_many = 128 << 20;

ResolvedPlan copy_plan(int n) {
  ResolvedPlan plan = plan_for("copy", n / 4);
  plan.launches[0].arguments[2] = value_argument(n);
  return plan;
}

TEST_F(GpuTiming, ACopyRunsAtAPlausibleBandwidthAndItsOutputComesBack) {
  TensorArena arena = make_tensors(k_many);
  TimeRequest request;
  request.arena = &arena;
  request.variants = {{0, copy_plan(k_many)}};
  request.budget = milliseconds(20);
  const TimeResult result = worker_.time(request);
  ASSERT_FALSE(result.fault) << result.fault.message;
  ASSERT_EQ(result.samples_us.size(), 1u);
  ASSERT_GE(result.samples_us[0].size(), 20u);
  const double bandwidth = 2.0 * 4.0 * k_many / (median(result.samples_us[0]) * 1e-6);
  const double datasheet = worker_.device().datasheet_bandwidth;
  RecordProperty("bytes_per_second", std::to_string(bandwidth));
  EXPECT_GT(bandwidth, 0.5 * datasheet);
  EXPECT_LT(bandwidth, 1.1 * datasheet);
  EXPECT_TRUE(
      std::equal(arena.bytes("x").begin(), arena.bytes("x").end(), arena.bytes("y").begin()));
  // The copy of a multiprocessor's clock and of the wall clock agree on a plausible frequency.
  ASSERT_EQ(result.clock_mhz.size(), result.samples_us[0].size());
  EXPECT_GT(median(result.clock_mhz), 200.0);
  EXPECT_LT(median(result.clock_mhz), 4000.0);
}

TEST_F(GpuTiming, TheSameKernelTwiceTakesTheSameTime) {
  constexpr int k_some = 16 << 20;
  TensorArena arena = make_tensors(k_some);
  TimeRequest request;
  request.arena = &arena;
  const int again = worker_.load({CANDIDATES_CUBIN, {"copy"}});
  request.variants = {{0, copy_plan(k_some)}, {again, copy_plan(k_some)}};
  request.budget = milliseconds(10);
  request.min_samples = 40;
  const TimeResult result = worker_.time(request);
  ASSERT_FALSE(result.fault) << result.fault.message;
  ASSERT_EQ(result.samples_us.size(), 2u);
  EXPECT_EQ(result.samples_us[0].size(), result.samples_us[1].size());
  EXPECT_THAT(result.samples_us[0], Each(Gt(0.0)));
  const double ratio = median(result.samples_us[1]) / median(result.samples_us[0]);
  EXPECT_GT(ratio, 0.9);
  EXPECT_LT(ratio, 1.1);
}

TEST_F(GpuTiming, HotSamplesOfASmallTensorAreNotSlowerThanColdOnes) {
  constexpr int k_some = 4 << 20;
  TensorArena arena = make_tensors(k_some);
  TimeRequest request;
  request.arena = &arena;
  request.variants = {{0, copy_plan(k_some)}};
  request.budget = milliseconds(5);
  const TimeResult cold = worker_.time(request);
  request.flush_l2 = false;
  const TimeResult hot = worker_.time(request);
  ASSERT_FALSE(cold.fault) << cold.fault.message;
  ASSERT_FALSE(hot.fault) << hot.fault.message;
  EXPECT_LT(median(hot.samples_us[0]), median(cold.samples_us[0]));
}

TEST_F(GpuTiming, MoreLaunchesThanAHeldStreamTakesAreTimedToo) {
  TimeRequest request;
  request.arena = &arena_;
  ResolvedPlan plan = plan_for("twice", k_elements);
  plan.launches.assign(1500, plan.launches[0]);
  request.variants = {{0, plan}};
  request.min_samples = 3;
  request.max_samples = 3;
  const TimeResult result = worker_.time(request);
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_EQ(result.samples_us[0].size(), 3u);
}

TEST_F(GpuTiming, TheCopyCeilingIsBelowTheDatasheet) {
  const double large = worker_.measure_copy(std::int64_t{512} << 20);
  const double datasheet = worker_.device().datasheet_bandwidth;
  RecordProperty("bytes_per_second", std::to_string(large));
  EXPECT_GT(large, 0.5 * datasheet);
  EXPECT_LT(large, 1.1 * datasheet);
  // Launch and ramp weigh more on a small copy: the ceiling is that of the size asked for.
  EXPECT_LT(worker_.measure_copy(1 << 20), large);
}

}  // namespace
}  // namespace kernelloop::test
