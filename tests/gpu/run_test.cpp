// Candidates that run to their end.
#include "gpu_test.hpp"

#include <cmath>

namespace kernelloop::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class GpuRun : public GpuTest {};

TEST_F(GpuRun, TheDeviceIsDescribed) {
  const DeviceDescription& device = worker_.device();
  EXPECT_EQ(device.kind, "cuda");
  EXPECT_FALSE(device.name.empty());
  EXPECT_THAT(device.uuid, StartsWith("GPU-"));
  EXPECT_EQ(device.uuid.size(), 40u);
  EXPECT_THAT(device.driver, HasSubstr("CUDA"));
  EXPECT_GT(device.multiprocessors, 0);
  EXPECT_GT(device.l2_bytes, 1 << 20);
  EXPECT_GT(device.datasheet_bandwidth, 1e11);
  EXPECT_GT(device.highest_clock_hz, 5e8);
  EXPECT_GE(device.limits.max_shared_bytes, 49152);
}

TEST_F(GpuRun, AGoodKernelFillsItsOutput) {
  const RunResult result = run("twice");
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_THAT(result.changed_inputs, IsEmpty());
  expect_twice();
}

TEST_F(GpuRun, OutputsArePoisonedFirst) {
  RunRequest request;
  request.arena = &arena_;
  request.plan = plan_for("nothing", k_elements);
  ASSERT_FALSE(worker_.run(request).fault);
  EXPECT_TRUE(std::isnan(element(arena_, "y", 0)));
  EXPECT_TRUE(std::isnan(element(arena_, "y", k_elements - 1)));
  request.poison = Poison(std::byte{0});
  ASSERT_FALSE(worker_.run(request).fault);
  EXPECT_EQ(element(arena_, "y", k_elements - 1), 0.0f);
}

TEST_F(GpuRun, NoiseIsTheSameOnTheDeviceAsHere) {
  const std::size_t elements = 3u << 20;  // several periods of noise and a part of one
  TensorArena arena({{"x", 4 * elements, false}, {"y", 4 * elements, true}});
  RunRequest request;
  request.arena = &arena;
  request.plan = plan_for("nothing", k_elements);
  request.poison = Poison::noise(7);
  ASSERT_FALSE(worker_.run(request).fault);
  std::vector<std::byte> expected(4 * elements);
  request.poison.fill(expected);
  EXPECT_TRUE(std::ranges::equal(arena.bytes("y"), expected));
}

TEST_F(GpuRun, TheWorkspaceIsPoisonedFirst) {
  ResolvedPlan plan = plan_for("reads_workspace", k_elements);
  plan.workspace_bytes = k_elements + 16;
  ResolvedArgument workspace;
  workspace.kind = ResolvedArgument::Kind::workspace;
  workspace.offset = 16;
  plan.launches[0].arguments.push_back(workspace);
  RunRequest request;
  request.arena = &arena_;
  request.plan = plan;
  request.poison = Poison::noise(7);
  const RunResult result = worker_.run(request);
  ASSERT_FALSE(result.fault) << result.fault.message;
  for (const std::size_t index : {std::size_t{0}, std::size_t{k_elements - 1}}) {
    EXPECT_EQ(element(arena_, "y", index), static_cast<float>(request.poison.at(16 + index)));
  }
}

TEST_F(GpuRun, SharedMemoryHoldsNothingOfAnEarlierLaunch) {
  ResolvedPlan plan = plan_for("finds_shared", k_elements);
  plan.launches[0].dynamic_shared_bytes = 1024;
  RunRequest request;
  request.arena = &arena_;
  request.plan = plan;
  for (int launch = 0; launch < 3; ++launch) {
    const RunResult result = worker_.run(request);
    ASSERT_FALSE(result.fault) << result.fault.message;
    for (int i = 0; i < k_elements; ++i) ASSERT_EQ(element(arena_, "y", i), 0.0f) << launch;
  }
}

TEST_F(GpuRun, AChangedInputIsNamedAndTheParentsCopyIsUnharmed) {
  const float before = element(arena_, "x", k_elements / 2);
  const RunResult result = run("changes_input");
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_THAT(result.changed_inputs, ElementsAre("x"));
  EXPECT_EQ(element(arena_, "x", k_elements / 2), before);
}

TEST_F(GpuRun, MuchSharedMemoryIsOptedInFor) {
  ResolvedPlan plan = plan_for("uses_shared", k_elements);
  plan.launches[0].dynamic_shared_bytes = worker_.device().limits.max_shared_bytes;
  const RunResult result = run(plan);
  ASSERT_FALSE(result.fault) << result.fault.message;
  expect_twice();
}

TEST_F(GpuRun, ClustersAreLaunched) {
  ResolvedPlan plan = plan_for("cluster_rank", k_elements);
  plan.launches[0].has_cluster = true;
  plan.launches[0].cluster = {2, 1, 1};
  const RunResult result = run(plan);
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_EQ(element(arena_, "y", 0), 0.0f);
  EXPECT_EQ(element(arena_, "y", 256), 1.0f);
  EXPECT_EQ(element(arena_, "y", 512), 0.0f);
}

TEST_F(GpuRun, CooperativeAndDependentLaunchesRun) {
  ResolvedPlan plan = plan_for("twice", k_elements);
  plan.launches[0].cooperative = true;
  EXPECT_FALSE(run(plan).fault);
  plan.launches[0].cooperative = false;
  plan.launches.push_back(plan.launches[0]);
  plan.launches[1].programmatic_dependent = true;
  const RunResult result = run(plan);
  ASSERT_FALSE(result.fault) << result.fault.message;
  expect_twice();
}

}  // namespace
}  // namespace kernelloop::test
