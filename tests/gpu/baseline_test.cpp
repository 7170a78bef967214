// Baselines on a GPU: host code that launches kernels of its own into the harness's stream.
#include "gpu_test.hpp"

namespace kernelloop::test {
namespace {

class GpuBaseline : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    plan_.host = HostCall{"twice",
                          {{"n", k_elements}},
                          {{"factor", 2.0}},
                          {{"x", {k_elements}}, {"y", {k_elements}}}};
    Artifact artifact{BASELINE_LIBRARY, {}};
    artifact.host_code = true;
    module_ = worker_.load(artifact);
  }

  ResolvedPlan plan_;
  int module_ = 0;
};

TEST_F(GpuBaseline, FillsTheOutputs) {
  RunRequest request;
  request.arena = &arena_;
  request.plan = plan_;
  const RunResult result = worker_.run(request, module_);
  ASSERT_FALSE(result.fault) << result.fault.message;
  expect_twice();
}

TEST_F(GpuBaseline, IsTimedBesideAKernelInEveryState) {
  TimeRequest request;
  request.sets = {&arena_};
  request.variants = {{0, plan_for("twice", k_elements)}, {module_, plan_}};
  request.stop = {6, 6, 0, milliseconds(100)};
  for (const CacheState cache : {CacheState::cold, CacheState::hot, CacheState::rotating}) {
    request.cache = cache;
    const TimeResult result = worker_.time(request);
    ASSERT_FALSE(result.fault) << result.fault.message;
    EXPECT_EQ(result.samples[1].size(), 6u);
    EXPECT_FALSE(result.graph);
    EXPECT_GT(result.samples[1].front().us, 0.0);
    expect_twice();
  }
}

}  // namespace
}  // namespace kernelloop::test
