// Timing. What is asserted is what physics allows, not how fast this machine is.
#include "support/statistics.hpp"

#include "gpu_test.hpp"

#include <algorithm>

namespace kernelloop::test {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::Gt;

double median_us(const std::vector<TimeSample>& samples) {
  std::vector<double> values;
  for (const TimeSample& sample : samples) values.push_back(sample.us);
  return median(values);
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
  request.sets = {&arena};
  request.variants = {{0, copy_plan(k_many)}};
  request.stop.budget = milliseconds(20);
  const TimeResult result = worker_.time(request);
  ASSERT_FALSE(result.fault) << result.fault.message;
  ASSERT_EQ(result.samples.size(), 1u);
  ASSERT_GE(result.samples[0].size(), 20u);
  const double bandwidth = 2.0 * 4.0 * k_many / (median_us(result.samples[0]) * 1e-6);
  const double datasheet = worker_.device().datasheet_bandwidth;
  RecordProperty("bytes_per_second", std::to_string(bandwidth));
  EXPECT_GT(bandwidth, 0.5 * datasheet);
  EXPECT_LT(bandwidth, 1.1 * datasheet);
  EXPECT_TRUE(
      std::equal(arena.bytes("x").begin(), arena.bytes("x").end(), arena.bytes("y").begin()));
  // The copy of a multiprocessor's clock and of the wall clock agree on a plausible frequency.
  for (const TimeSample& sample : result.samples[0]) {
    EXPECT_GT(sample.clock_mhz, 200.0);
    EXPECT_LT(sample.clock_mhz, 4000.0);
  }
  EXPECT_GE(result.rechecks.count, 1);
  EXPECT_EQ(result.rechecks.differing, 0);
}

TEST_F(GpuTiming, OutputsOfTheDigestThatIsKnownStayWhereTheyAre) {
  RunRequest run;
  run.arena = &arena_;
  run.plan = plan_for("twice", k_elements);
  run.outputs = false;
  run.digest_seed = 5;
  const std::uint64_t digest = worker_.run(run).digest.value();
  EXPECT_NE(element(arena_, "y", 3), 2.0f * element(arena_, "x", 3));
  TensorArena other = make_tensors(k_elements);
  TimeRequest request;
  request.sets = {&arena_, &other};
  request.variants = {{0, plan_for("twice", k_elements)}};
  request.stop = {12, 12, 0, milliseconds(100)};
  request.digest_seed = 5;
  request.digests = {digest, digest + 1};
  for (const CacheState cache : {CacheState::cold, CacheState::hot, CacheState::rotating}) {
    request.cache = cache;
    const TimeResult result = worker_.time(request);
    ASSERT_FALSE(result.fault) << result.fault.message;
    EXPECT_THAT(result.unlike, ::testing::ElementsAre(1));
    EXPECT_NE(element(arena_, "y", 3), 2.0f * element(arena_, "x", 3));
    EXPECT_EQ(element(other, "y", 3), 2.0f * element(other, "x", 3));
  }
}

TEST_F(GpuTiming, TheSameKernelTwiceTakesTheSameTime) {
  constexpr int k_some = 16 << 20;
  TensorArena arena = make_tensors(k_some);
  TimeRequest request;
  request.sets = {&arena};
  const int again = worker_.load({CANDIDATES_CUBIN, {"copy"}});
  request.variants = {{0, copy_plan(k_some)}, {again, copy_plan(k_some)}};
  request.stop.budget = milliseconds(10);
  request.stop.min_samples = 40;
  const TimeResult result = worker_.time(request);
  ASSERT_FALSE(result.fault) << result.fault.message;
  ASSERT_EQ(result.samples.size(), 2u);
  EXPECT_EQ(result.samples[0].size(), result.samples[1].size());
  EXPECT_THAT(result.samples[0], Each(Field(&TimeSample::us, Gt(0.0))));
  const double ratio = median_us(result.samples[1]) / median_us(result.samples[0]);
  EXPECT_GT(ratio, 0.9);
  EXPECT_LT(ratio, 1.1);
}

TEST_F(GpuTiming, HotSamplesOfASmallTensorAreNotSlowerThanColdOnes) {
  constexpr int k_some = 4 << 20;
  TensorArena arena = make_tensors(k_some);
  TimeRequest request;
  request.sets = {&arena};
  request.variants = {{0, copy_plan(k_some)}};
  request.stop.budget = milliseconds(5);
  const TimeResult cold = worker_.time(request);
  request.cache = CacheState::hot;
  const TimeResult hot = worker_.time(request);
  ASSERT_FALSE(cold.fault) << cold.fault.message;
  ASSERT_FALSE(hot.fault) << hot.fault.message;
  EXPECT_LT(median_us(hot.samples[0]), median_us(cold.samples[0]));
}

TEST_F(GpuTiming, LaunchesOnRotatingTensorsFindNothingInTheCache) {
  constexpr int k_some = 4 << 20;  // 16 MiB each way
  TensorArena first = make_tensors(k_some);
  TensorArena second = make_tensors(k_some);
  TimeRequest request;
  request.sets = {&first, &second};
  request.variants = {{0, copy_plan(k_some)}};
  request.stop.budget = milliseconds(20);
  request.cache = CacheState::hot;
  const TimeResult hot = worker_.time(request);
  request.cache = CacheState::rotating;
  const TimeResult rotating = worker_.time(request);
  ASSERT_FALSE(hot.fault) << hot.fault.message;
  ASSERT_FALSE(rotating.fault) << rotating.fault.message;
  EXPECT_TRUE(rotating.graph);
  EXPECT_GT(rotating.addresses, 1);
  EXPECT_EQ(rotating.launches_per_sample % (2 * rotating.addresses), 0);
  EXPECT_GT(median_us(rotating.samples[0]), median_us(hot.samples[0]));
  const double bandwidth = 2.0 * 4.0 * k_some / (median_us(rotating.samples[0]) * 1e-6);
  EXPECT_LT(bandwidth, 1.1 * worker_.device().datasheet_bandwidth);
  EXPECT_EQ(rotating.rechecks.differing, 0);
  for (const TensorArena* set : {&first, &second}) {
    EXPECT_TRUE(std::ranges::equal(set->bytes("x"), set->bytes("y")));
  }
}

TEST_F(GpuTiming, PowerIsKnownWhereTheDriverTells) {
  TensorArena arena = make_tensors(k_many);
  TimeRequest request;
  request.sets = {&arena};
  request.variants = {{0, copy_plan(k_many)}};
  request.stop.budget = milliseconds(20);
  const TimeResult result = worker_.time(request);
  ASSERT_FALSE(result.fault) << result.fault.message;
  RecordProperty("power_watts", std::to_string(result.power_watts));
  EXPECT_GE(result.power_watts, 0.0);
  EXPECT_LT(result.power_watts, 2000.0);
}

TEST_F(GpuTiming, MoreLaunchesThanAHeldStreamTakesAreTimedToo) {
  TimeRequest request;
  request.sets = {&arena_};
  ResolvedPlan plan = plan_for("twice", k_elements);
  plan.launches.assign(1500, plan.launches[0]);
  request.variants = {{0, plan}};
  request.stop.min_samples = 3;
  request.stop.max_samples = 3;
  const TimeResult result = worker_.time(request);
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_EQ(result.samples[0].size(), 3u);
}

TEST_F(GpuTiming, TheCopyCeilingIsBelowTheDatasheet) {
  const double large = worker_.measure_roof(*find_roof("copy"), std::int64_t{512} << 20).value;
  const double datasheet = worker_.device().datasheet_bandwidth;
  RecordProperty("bytes_per_second", std::to_string(large));
  EXPECT_GT(large, 0.5 * datasheet);
  EXPECT_LT(large, 1.1 * datasheet);
  // Launch and ramp weigh more on a small copy: the ceiling is that of the size asked for.
  EXPECT_LT(worker_.measure_roof(*find_roof("copy"), 1 << 20).value, large);
}

}  // namespace
}  // namespace kernelloop::test
