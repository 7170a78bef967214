// In-kernel traces of kernels whose schedule is known.
#include "gpu_test.hpp"
#include "trace/chrome.hpp"
#include "trace/digest.hpp"

#include <algorithm>

namespace kernelloop::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* k_trace = "kernelloop trace";
constexpr int k_blocks = 16;
constexpr int k_threads = 128;
constexpr int k_traced_elements = k_blocks * k_threads;

class GpuTrace : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) traced_ = worker_.load({TRACED_CUBIN, {"scheduled", "many_marks", "quick"}});
  }

  // Runs a plan of launches that read x and write y, and decodes what each recorded.
  std::vector<LaunchTrace> trace(const ResolvedPlan& plan, std::size_t budget = 4 << 20) {
    const ResolvedLaunch& first = plan.launches.front();
    const std::int64_t elements = first.grid[0] * first.block[0];
    const std::size_t launches = plan.launches.size();
    const TraceLayout layout = lay_out_trace(plan, budget);
    const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(float);
    const TensorArena arena(
        {{"x", bytes, false}, {"y", bytes, true}, {k_trace, layout.bytes, true, 256}});
    std::ranges::fill(arena.bytes("x"), std::byte{0});
    RunRequest request;
    request.arena = &arena;
    request.plan = plan;
    request.trace = TraceBuffer{layout, k_trace};
    const RunResult result = worker_.run(request, traced_);
    EXPECT_EQ(result.fault.kind, FaultKind::none) << result.fault.message;
    EXPECT_EQ(element(arena, "y", static_cast<int>(elements) - 1), 0.0f);
    EXPECT_EQ(result.traced_us.empty(), launches > 1);
    std::map<std::uint32_t, std::string> names;
    for (const char* name : {"kernel", "load", "work", "late", "done", "step"}) {
      names[trace_id(name)] = name;
    }
    return decode_trace(layout, arena.bytes(k_trace), names, 1.0);
  }

  std::vector<LaunchTrace> trace(const std::string& kernel, int launches = 1) {
    ResolvedPlan plan = plan_for(kernel, k_traced_elements, k_threads);
    while (static_cast<int>(plan.launches.size()) < launches) {
      plan.launches.push_back(plan.launches.front());
    }
    return trace(plan);
  }

  int traced_ = 0;
};

TEST_F(GpuTrace, ShowsTheScheduleOfAKernel) {
  const LaunchTrace launch = trace("scheduled").front();
  EXPECT_EQ(launch.malformed + launch.unmatched + launch.dropped, 0u);
  ASSERT_EQ(launch.warps.size(), k_blocks * 4u);
  EXPECT_GT(launch.cycles_per_ns, 0.2);
  EXPECT_LT(launch.cycles_per_ns, 4.0);
  for (const WarpTrace& warp : launch.warps) {
    EXPECT_TRUE(warp.whole);
    const double first = warp.block == 0 ? 100000 : 0;
    EXPECT_NEAR(warp.end_ns - warp.begin_ns, first + (warp.warp == 0 ? 80000 : 60000), 4000);
  }
  const LaunchDigest digest = digest_of(launch);
  EXPECT_EQ(digest.traced_blocks, k_blocks);
  EXPECT_NEAR(digest.lifetime_ns, 80000, 4000);
  EXPECT_NEAR(digest.span_ns, 180000, 10000);
  EXPECT_NEAR(digest.tail_ns, 100000, 10000);
  ASSERT_EQ(digest.roles.size(), 2u);
  EXPECT_THAT(digest_text(digest), HasSubstr("load"));
  EXPECT_THAT(chrome_trace({launch}), HasSubstr("\"name\":\"late\""));
}

TEST_F(GpuTrace, EveryLaunchOfAPlanIsRecordedByItself) {
  const std::vector<LaunchTrace> launches = trace("scheduled", 3);
  ASSERT_EQ(launches.size(), 3u);
  for (const LaunchTrace& launch : launches) {
    EXPECT_EQ(launch.warps.size(), k_blocks * 4u);
    EXPECT_EQ(launch.malformed, 0u);
  }
}

TEST_F(GpuTrace, WhatFindsNoRoomIsCounted) {
  const LaunchTrace launch = trace("many_marks").front();
  ASSERT_EQ(launch.warps.size(), k_blocks * 4u);
  const auto capacity = static_cast<std::size_t>(launch.launch.capacity);
  EXPECT_EQ(launch.dropped, k_blocks * 4u * (2000 - capacity));
  EXPECT_TRUE(launch.warps.front().whole);
}

TEST_F(GpuTrace, OnALargeGridEveryBlockHasItsLifeAndAFewHaveMarks) {
  constexpr int k_quick = 5000;
  const ResolvedPlan plan = plan_for("quick", k_quick * 64, 64);
  const LaunchTrace launch = trace(plan).front();
  EXPECT_EQ(launch.malformed + launch.unplaced + launch.dropped, 0u);
  ASSERT_EQ(launch.warps.size(), k_quick * 2u);
  for (const WarpTrace& warp : launch.warps) {
    EXPECT_TRUE(warp.whole);
    EXPECT_GE(warp.end_ns, warp.begin_ns);
    EXPECT_LT(warp.end_ns, 1e6);
    EXPECT_EQ(warp.instants.size(), warp.marked ? 1u : 0u);
  }
  const LaunchDigest digest = digest_of(launch);
  EXPECT_EQ(digest.traced_blocks, k_quick);
  EXPECT_GT(digest.marked_blocks, 192);
  EXPECT_LE(digest.marked_blocks, 512);
  EXPECT_EQ(static_cast<int>(digest.multiprocessors), worker_.device().multiprocessors);
  EXPECT_THAT(digest_text(digest), HasSubstr("the first 192 and one of 16 others"));

  const LaunchTrace small = trace(plan, 256 << 10).front();
  EXPECT_FALSE(small.launch.every_life);
  EXPECT_GT(small.warps.size(), 200u);
  for (const WarpTrace& warp : small.warps) {
    EXPECT_TRUE(warp.whole && warp.marked);
    EXPECT_EQ(warp.instants.size(), 1u);
  }
}

TEST_F(GpuTrace, ABuildWithoutMarksSaysSo) {
  RunRequest request;
  const ResolvedPlan plan = plan_for("twice", k_elements);
  const TraceLayout layout = lay_out_trace(plan, 1 << 20);
  const TensorArena arena({{"x", k_elements * sizeof(float), false},
                           {"y", k_elements * sizeof(float), true},
                           {k_trace, layout.bytes, true, 256}});
  request.arena = &arena;
  request.plan = plan;
  request.trace = TraceBuffer{layout, k_trace};
  const RunResult result = worker_.run(request);
  EXPECT_EQ(result.fault.kind, FaultKind::load_failed);
  EXPECT_THAT(result.fault.message, HasSubstr("no marks"));
  expect_healthy();
}

}  // namespace
}  // namespace kernelloop::test
