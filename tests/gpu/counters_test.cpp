// Hardware counters of a copy, which must move what it copies.
#include "counters/digest.hpp"
#include "counters/metrics.hpp"
#include "gpu_test.hpp"

namespace kernelloop::test {
namespace {

constexpr int k_copied = 64 << 20;  // elements: 256 MiB each way, far more than L2 holds

class GpuCounters : public GpuTest {};

TEST_F(GpuCounters, ACopyMovesItsBytes) {
  TensorArena arena = make_tensors(k_copied);
  ResolvedPlan plan = plan_for("copy", k_copied / 4);
  plan.launches[0].arguments[2] = value_argument(k_copied);
  RunRequest request;
  request.arena = &arena;
  request.plan = plan;
  request.count = all_metric_names();
  const RunResult result = worker_.run(request);
  ASSERT_FALSE(result.fault) << result.fault.message;
  const CounterResult& counters = result.counters;
  if (counters.values.empty()) {
    EXPECT_FALSE(counters.reason.empty());
    GTEST_SKIP() << counters.reason;
  }
  EXPECT_EQ(counters.chip, "GH100");
  EXPECT_GE(counters.passes, 1u);
  EXPECT_GT(counters.values.size(), 25u);
  const double bytes = 4.0 * k_copied;
  const double read = counters.values.at("dram__bytes_read.sum");
  const double written = counters.values.at("dram__bytes_write.sum");
  RecordProperty("read_share", std::to_string(read / bytes));
  RecordProperty("written_share", std::to_string(written / bytes));
  EXPECT_NEAR(read / bytes, 1.0, 0.02);
  // What fits into L2 may not have been written back yet.
  EXPECT_GT(written / bytes, 0.7);
  EXPECT_LT(written / bytes, 1.05);
  CounterContext context;
  context.minimum_bytes = 2 * bytes;
  context.output_bytes = bytes;
  context.l2_bytes = static_cast<double>(worker_.device().l2_bytes);
  EXPECT_FALSE(work_not_done(counters.values, context));
  context.minimum_bytes = 8 * bytes;
  EXPECT_TRUE(work_not_done(counters.values, context));
  EXPECT_TRUE(
      std::equal(arena.bytes("x").begin(), arena.bytes("x").end(), arena.bytes("y").begin()));
}

TEST_F(GpuCounters, TheWorkerGoesOnAfterwards) {
  RunRequest request;
  request.arena = &arena_;
  request.plan = plan_for("twice", k_elements);
  request.count = all_metric_names();
  ASSERT_FALSE(worker_.run(request).fault);
  expect_twice();
  expect_healthy();
}

}  // namespace
}  // namespace kernelloop::test
