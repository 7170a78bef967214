#include "trace/layout.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

ResolvedPlan plan_of(std::int64_t blocks, std::int64_t threads, std::size_t launches = 1) {
  ResolvedPlan plan;
  for (std::size_t i = 0; i < launches; ++i) {
    ResolvedLaunch launch;
    launch.kernel = "k" + std::to_string(i);
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    plan.launches.push_back(launch);
  }
  return plan;
}

TEST(TraceLayout, SmallGridsGetManyRecords) {
  const TraceLayout layout = lay_out_trace(plan_of(132, 250), 64 << 20);
  ASSERT_EQ(layout.launches.size(), 1u);
  EXPECT_EQ(layout.launches[0].warps, 8);
  EXPECT_EQ(layout.launches[0].capacity, 512);
  EXPECT_EQ(layout.launches[0].traced_blocks, 132);
  EXPECT_EQ(layout.bytes, 132u * 8 * (64 + 512 * 8));
}

TEST(TraceLayout, LargeGridsGetFewerRecordsThenFewerBlocks) {
  const TraceLayout fewer_records = lay_out_trace(plan_of(10000, 256), 64 << 20);
  EXPECT_EQ(fewer_records.launches[0].stride, 1);
  EXPECT_LT(fewer_records.launches[0].capacity, 512);
  const TraceLayout fewer_blocks = lay_out_trace(plan_of(1000000, 1024), 64 << 20);
  EXPECT_EQ(fewer_blocks.launches[0].capacity, 32);
  EXPECT_GT(fewer_blocks.launches[0].stride, 1);
  for (const TraceLayout& layout : {fewer_records, fewer_blocks}) {
    EXPECT_LE(layout.bytes, std::size_t{64} << 20);
    EXPECT_GT(layout.bytes, std::size_t{48} << 20);
  }
}

TEST(TraceLayout, LaunchesShareTheBuffer) {
  const TraceLayout layout = lay_out_trace(plan_of(3, 32, 2), 1 << 20);
  EXPECT_EQ(layout.launches[0].offset, 0u);
  EXPECT_GE(layout.launches[1].offset, layout.launches[0].bytes());
  EXPECT_EQ(layout.launches[1].offset % 256, 0u);
  EXPECT_GE(layout.bytes, layout.launches[1].offset + layout.launches[1].bytes());
}

TEST(TraceLayout, SaysWhenNothingFits) {
  try {
    lay_out_trace(plan_of(1, 1024), 4096);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("too few to trace one block of `k0`"));
  }
}

TEST(TraceLayout, SurvivesTheWayToTheWorker) {
  const TraceLayout layout = lay_out_trace(plan_of(1000000, 256, 3), 8 << 20);
  EXPECT_EQ(to_json(trace_layout_from_json(to_json(layout))), to_json(layout));
}

}  // namespace
}  // namespace kernelloop
