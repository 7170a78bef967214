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

TEST(TraceLayout, SmallGridsRecordAllMarks) {
  const TraceLayout layout = lay_out_trace(plan_of(132, 250), 64 << 20);
  ASSERT_EQ(layout.launches.size(), 1u);
  const TracedLaunch& launch = layout.launches[0];
  EXPECT_EQ(launch.warps, 8);
  EXPECT_EQ(launch.capacity, 512);
  EXPECT_EQ(launch.mark_slots(), 132);
  EXPECT_EQ(launch.life_slots(), 132);
  EXPECT_EQ(launch.bytes(), 132u * (8 * 16 + 32 + 8 * 513 * 8));
}

TEST(TraceLayout, LargeGridsRecordEveryLifeAndSomeMarks) {
  const TracedLaunch launch = lay_out_trace(plan_of(16384, 256), 192 << 20).launches[0];
  EXPECT_TRUE(launch.every_life);
  EXPECT_EQ(launch.life_slots(), 16384);
  EXPECT_EQ(launch.first, 192);
  EXPECT_LE(launch.mark_slots(), 512);
  EXPECT_GT(launch.mark_slots(), 320);
  EXPECT_EQ(launch.capacity, 512);
}

TEST(TraceLayout, TinyRoomsCostMarksThenBlocksThenLives) {
  const auto launch = [](std::int64_t blocks, std::size_t budget) {
    const TraceLayout layout = lay_out_trace(plan_of(blocks, 256), budget);
    EXPECT_LE(layout.bytes, budget);
    return layout.launches[0];
  };
  const TracedLaunch fewer_marks = launch(400, 2 << 20);
  EXPECT_EQ(fewer_marks.mark_slots(), 400);
  EXPECT_LT(fewer_marks.capacity, 512);
  const TracedLaunch fewer_blocks = launch(400, 256 << 10);
  EXPECT_LT(fewer_blocks.mark_slots(), 400);
  EXPECT_EQ(fewer_blocks.capacity, 32);
  EXPECT_TRUE(fewer_blocks.every_life);
  const TracedLaunch fewer_lives = launch(1000000, 4 << 20);
  EXPECT_FALSE(fewer_lives.every_life);
  EXPECT_EQ(fewer_lives.life_slots(), fewer_lives.mark_slots());
  EXPECT_GT(fewer_lives.mark_slots(), 256);
}

TEST(TraceLayout, TellsTheKernelWhereTheArraysAre) {
  const TracedLaunch launch = lay_out_trace(plan_of(1000, 64), 64 << 20).launches[0];
  const trace::Target target = launch.target(0x10000);
  EXPECT_EQ(target.lives, 0x10000u);
  EXPECT_EQ(target.anchors, 0x10000u + 1000 * 2 * 16);
  EXPECT_EQ(target.marks, target.anchors + static_cast<std::uint64_t>(launch.mark_slots()) * 32);
  EXPECT_EQ(target.on, 1u);
  EXPECT_EQ(target.every_life, 1u);
  EXPECT_EQ(target.warps, 2u);
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
