#include "counters/digest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* k_read = "dram__bytes_read.sum";
constexpr const char* k_write = "dram__bytes_write.sum";
constexpr const char* k_issue = "smsp__issue_active.avg.pct_of_peak_sustained_active";
constexpr const char* k_warps = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr const char* k_fma = "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active";
constexpr const char* k_tensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";

std::string stall(const std::string& name) {
  return "smsp__average_warps_issue_stalled_" + name + "_per_issue_active.ratio";
}

// A copy of 1 GiB as an H200 counts it.
MetricValues copy_metrics() {
  return {{k_read, 1.07377e9},
          {k_write, 1.07324e9},
          {k_tensor, 0},
          {k_warps, 96},
          {k_issue, 5.2},
          {k_fma, 2},
          {stall("long_scoreboard"), 90},
          {stall("wait"), 5},
          {stall("barrier"), 1}};
}
CounterContext copy_context() {
  CounterContext context;
  context.minimum_bytes = 2.147e9;
  context.output_bytes = 1.0737e9;
  context.l2_bytes = 62914560;
  context.time_us = 548;
  context.copy_bytes_per_second = 4.28e12;
  context.blocks = 1056;
  context.multiprocessors = 132;
  return context;
}

TEST(CounterDigest, ACopyIsBoundByMemory) {
  const CounterDigest digest = digest_counters(copy_metrics(), copy_context());
  EXPECT_EQ(digest.bound, Bound::memory);
  EXPECT_EQ(digest.lines[0], "Bound by device memory: 92 % of the measured copy bandwidth.");
  EXPECT_THAT(digest.lines[1], HasSubstr("1.00 times the 2.15 GB that the op must move."));
  EXPECT_THAT(digest.lines, Contains(HasSubstr("94 % of the waiting (long scoreboard)")));
  EXPECT_THAT(digest.lines, Not(Contains(HasSubstr("WARNING"))));
  EXPECT_THAT(digest.lines, Not(Contains(HasSubstr("(wait)"))));
}

TEST(CounterDigest, TheBusiestResourceIsNamed) {
  MetricValues metrics = copy_metrics();
  CounterContext context = copy_context();
  context.time_us = 5480;
  metrics[k_tensor] = 91;
  EXPECT_THAT(digest_counters(metrics, context).lines[0],
              StartsWith("Bound by the tensor cores: 91 %"));
  metrics[k_tensor] = 0;
  metrics[k_fma] = 85;
  EXPECT_THAT(digest_counters(metrics, context).lines[0],
              StartsWith("Bound by the fp32 (FMA) pipe: 85 %"));
  metrics[k_fma] = 40;
  metrics[k_issue] = 88;
  EXPECT_EQ(digest_counters(metrics, context).bound, Bound::issue);
}

TEST(CounterDigest, WhereNothingIsBusyLatencyIs) {
  MetricValues metrics = copy_metrics();
  metrics[k_warps] = 12;
  CounterContext context = copy_context();
  context.time_us = 5480;
  context.blocks = 32;
  const CounterDigest digest = digest_counters(metrics, context);
  EXPECT_EQ(digest.bound, Bound::latency);
  EXPECT_THAT(digest.lines[0], AllOf(StartsWith("Bound by latency"), HasSubstr("memory 9 %")));
  EXPECT_EQ(digest.lines[1], "The grid is too small: 32 blocks for 132 multiprocessors.");
  EXPECT_THAT(digest.lines, Contains(HasSubstr("more of them would hide more latency")));
}

TEST(CounterDigest, NamesWhatIsWasted) {
  MetricValues metrics = copy_metrics();
  metrics[k_read] = 3e9;
  metrics["smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"] = 12.5;
  metrics["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] = 900;
  metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = 1000;
  metrics["smsp__inst_executed_op_local_ld.sum"] = 5000;
  metrics["smsp__average_thread_inst_executed_per_inst_executed.ratio"] = 9;
  const auto lines = digest_counters(metrics, copy_context()).lines;
  EXPECT_THAT(lines, Contains(HasSubstr("read or written more than once")));
  EXPECT_THAT(lines, Contains(HasSubstr("loads use 12 % of the bytes of each 32-byte sector")));
  EXPECT_THAT(lines, Contains(HasSubstr("90 % of its wavefronts are bank conflicts")));
  EXPECT_THAT(lines, Contains(HasSubstr("Local memory: 5000 loads")));
  EXPECT_THAT(lines, Contains(HasSubstr("9.0 of 32 threads")));
  EXPECT_LE(lines.size(), 30u);
}

TEST(CounterDigest, StaysShortWithEverythingAmiss) {
  MetricValues metrics;
  for (const Metric& metric : all_metrics()) metrics[std::string(metric.name)] = 10;
  EXPECT_LE(digest_counters(metrics, copy_context()).lines.size(), 30u);
}

TEST(CounterDigest, MissingCountersCostTheirLineOnly) {
  const CounterDigest digest = digest_counters({}, copy_context());
  EXPECT_EQ(digest.bound, Bound::unknown);
  ASSERT_EQ(digest.lines.size(), 1u);
  EXPECT_THAT(digest.lines[0], HasSubstr("counters for it are missing"));
}

TEST(WorkDone, TooFewBytesAreSeen) {
  MetricValues metrics = copy_metrics();
  EXPECT_FALSE(work_not_done(metrics, copy_context()));
  metrics[k_read] = 1e6;
  const auto reason = work_not_done(metrics, copy_context());
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, HasSubstr("counters show that the work was not done"));
  EXPECT_THAT(digest_counters(metrics, copy_context()).lines, Contains(StartsWith("WARNING")));
}

TEST(WorkDone, OutputsMayStayInTheCache) {
  CounterContext context = copy_context();
  context.minimum_bytes = 40e6;
  context.output_bytes = 20e6;
  EXPECT_FALSE(work_not_done({{k_read, 20e6}, {k_write, 0}}, context));
  EXPECT_TRUE(work_not_done({{k_read, 10e6}, {k_write, 0}}, context));
}

TEST(WorkDone, SmallOrUncountedLaunchesSayNothing) {
  CounterContext context = copy_context();
  context.minimum_bytes = 1e6;
  context.output_bytes = 0.5e6;
  EXPECT_FALSE(work_not_done({{k_read, 0}, {k_write, 0}}, context));
  EXPECT_FALSE(work_not_done({}, copy_context()));
}

}  // namespace
}  // namespace kernelloop
