// Baselines on the CPU device: host code in place of launches.
#include "device/worker_client.hpp"

#include <gmock/gmock.h>

#include "candidate_plan.hpp"

namespace kernelloop {
namespace {

using test::element;
using ::testing::HasSubstr;

constexpr int k_count = 100;

class CpuBaseline : public ::testing::Test {
 protected:
  CpuBaseline() : worker_(WorkerOptions{"cpu", KERNELLOOP_DEVICE_PROGRAM}) {
    plan_.host = HostCall{
        "twice", {{"n", k_count}}, {{"factor", 2.0}}, {{"x", {k_count}}, {"y", {k_count}}}};
  }

  RunResult run(const std::filesystem::path& library) {
    RunRequest request;
    request.arena = &arena_;
    request.plan = plan_;
    Artifact artifact{library, {}};
    artifact.host_code = true;
    return worker_.run(request, worker_.load(artifact));
  }

  TensorArena arena_ = test::make_tensors(k_count);
  Worker worker_;
  ResolvedPlan plan_;
};

TEST_F(CpuBaseline, GetsTensorsAxesScalarsAndShapes) {
  const RunResult result = run(DEVICE_FIXTURE_BASELINE);
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_EQ(element(arena_, "y", 3), 7.0f);
  EXPECT_EQ(element(arena_, "y", k_count - 1), 199.0f);
}

TEST_F(CpuBaseline, IsTimedBesideAKernel) {
  Artifact artifact{DEVICE_FIXTURE_BASELINE, {}};
  artifact.host_code = true;
  const int kernel = worker_.load({DEVICE_FIXTURE, {"twice"}});
  const int baseline = worker_.load(artifact);
  TimeRequest request;
  request.sets = {&arena_};
  request.variants = {{kernel, test::plan_for("twice", k_count)}, {baseline, plan_}};
  request.stop = {6, 6, 0, std::chrono::milliseconds(0)};
  const TimeResult result = worker_.time(request);
  ASSERT_FALSE(result.fault) << result.fault.message;
  EXPECT_EQ(result.samples[1].size(), 6u);
}

TEST_F(CpuBaseline, ThatRefusesSaysWhy) {
  plan_.host->shapes["y"] = {5};
  const RunResult result = run(DEVICE_FIXTURE_BASELINE);
  EXPECT_EQ(result.fault.kind, FaultKind::other);
  EXPECT_EQ(result.fault.message, "the shapes do not fit");
  plan_.host->scalars.clear();
  plan_.host->shapes["y"] = {k_count};
  EXPECT_THAT(run(DEVICE_FIXTURE_BASELINE).fault.message,
              HasSubstr("no scalar input named 'factor'; the op spec has: none"));
}

TEST_F(CpuBaseline, OfAnotherOpIsRefused) {
  plan_.host->op = "thrice";
  EXPECT_THAT(run(DEVICE_FIXTURE_BASELINE).fault.message,
              HasSubstr("it is KERNELLOOP_BASELINE(twice), but the op is 'thrice'"));
}

TEST_F(CpuBaseline, ALibraryWithoutOneIsRefused) {
  const RunResult result = run(DEVICE_FIXTURE);
  EXPECT_EQ(result.fault.kind, FaultKind::load_failed);
  EXPECT_THAT(result.fault.message, HasSubstr("defines no baseline; write KERNELLOOP_BASELINE"));
  EXPECT_THAT(run("/nowhere/cub.so").fault.message, HasSubstr("cub.so cannot be loaded"));
}

}  // namespace
}  // namespace kernelloop
