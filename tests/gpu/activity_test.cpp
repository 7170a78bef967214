// What CUPTI sees of launches.
#include "gpu_test.hpp"

#include <algorithm>

namespace kernelloop::test {
namespace {

class GpuActivity : public GpuTest {
 protected:
  // What is seen of `plan`; skips where nothing can be.
  ActivityResult watch(const TensorArena& arena, const ResolvedPlan& plan) {
    RunRequest request;
    request.arena = &arena;
    request.plan = plan;
    request.watch = true;
    const RunResult result = worker_.run(request);
    EXPECT_FALSE(result.fault) << result.fault.message;
    return result.activity;
  }
};

TEST_F(GpuActivity, ShowsTheKernelsOfAPlanWithTheirGeometry) {
  ResolvedPlan plan = plan_for("twice", k_elements);
  plan.launches.push_back(plan_for("copy", k_elements / 4).launches.front());
  plan.launches[1].arguments[2] = value_argument(k_elements);
  const ActivityResult seen = watch(arena_, plan);
  if (!seen.reason.empty()) GTEST_SKIP() << seen.reason;
  ASSERT_EQ(seen.event_us.size(), 5u);
  EXPECT_EQ(seen.dropped, 0);
  ASSERT_EQ(seen.records.size(), 10u);
  for (const Activity& one : seen.records) {
    EXPECT_EQ(one.kind, Activity::Kind::kernel);
    EXPECT_TRUE(one.in_stream);
    ASSERT_GE(one.iteration, 0);
    const ResolvedLaunch& launch = plan.launches[one.name == "twice" ? 0 : 1];
    EXPECT_EQ(one.name, launch.kernel);
    EXPECT_EQ(one.grid, launch.grid);
    EXPECT_EQ(one.block, launch.block);
    EXPECT_EQ(one.cluster, launch.cluster);
    EXPECT_EQ(one.dynamic_shared_bytes, launch.dynamic_shared_bytes);
    EXPECT_GT(one.end_us, one.begin_us);
  }
}

TEST_F(GpuActivity, EventsSpanTheKernelsAndLittleMore) {
  constexpr int k_copied = 64 << 20;
  const TensorArena arena = make_tensors(k_copied);
  ResolvedPlan plan = plan_for("copy", k_copied / 4);
  plan.launches[0].arguments[2] = value_argument(k_copied);
  const ActivityResult seen = watch(arena, plan);
  if (!seen.reason.empty()) GTEST_SKIP() << seen.reason;
  ASSERT_EQ(seen.records.size(), seen.event_us.size());
  for (const Activity& one : seen.records) {
    ASSERT_GE(one.iteration, 0);
    const double around =
        seen.event_us[static_cast<std::size_t>(one.iteration)] - (one.end_us - one.begin_us);
    RecordProperty("around_us", std::to_string(around));
    EXPECT_GT(around, 0.0);
    EXPECT_LT(around, 5.0);
  }
}

TEST_F(GpuActivity, TheWorkerGoesOnAfterwards) {
  watch(arena_, plan_for("twice", k_elements));
  expect_twice();
  expect_healthy();
}

}  // namespace
}  // namespace kernelloop::test
