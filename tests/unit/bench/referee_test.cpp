#include "bench/referee.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;

// Two launches of which five iterations were seen, as an H200 shows them: 2.5 us around the
// kernels, 1.5 us between them.
class Referee : public testing::Test {
 protected:
  Referee() {
    for (const char* name : {"partial", "combine"}) {
      ResolvedLaunch launch;
      launch.kernel = name;
      launch.grid = {64, 2, 1};
      launch.block = {256, 1, 1};
      launch.dynamic_shared_bytes = 1024;
      plan.launches.push_back(launch);
    }
    for (int iteration = 0; iteration < 5; ++iteration) {
      seen.event_us.push_back(34.0);
      double begin = 1000.0 * iteration;
      for (const double us : {20.0, 10.0}) {
        Activity kernel;
        kernel.name = us == 20.0 ? "partial" : "combine";
        kernel.iteration = iteration;
        kernel.begin_us = begin;
        kernel.end_us = begin + us;
        kernel.grid = {64, 2, 1};
        kernel.block = {256, 1, 1};
        kernel.dynamic_shared_bytes = 1024;
        seen.records.push_back(kernel);
        begin += us + 1.5;
      }
    }
  }

  std::string disagreement() const {
    const RefereeVerdict verdict = referee(plan, seen);
    EXPECT_EQ(verdict.status, RefereeVerdict::Status::disagreed);
    return verdict.reason;
  }
  Activity& last() { return seen.records.back(); }

  ResolvedPlan plan;
  ActivityResult seen;
};

TEST_F(Referee, AgreesWithWhatThePlanSays) {
  const RefereeVerdict verdict = referee(plan, seen);
  EXPECT_EQ(verdict.status, RefereeVerdict::Status::agreed) << verdict.reason;
  EXPECT_EQ(verdict.iterations, 5);
  EXPECT_DOUBLE_EQ(verdict.event_us, 34.0);
  EXPECT_DOUBLE_EQ(verdict.kernels_us, 30.0);
  ASSERT_EQ(verdict.kernels.size(), 2U);
  EXPECT_EQ(verdict.kernels[0].name, "partial");
  EXPECT_DOUBLE_EQ(verdict.kernels[1].us, 10.0);
}

TEST_F(Referee, CountsOverlappingKernelsOnce) {
  for (std::size_t i = 1; i < seen.records.size(); i += 2) {
    seen.records[i].begin_us -= 5.0;  // while the other still runs
    seen.records[i].end_us -= 5.0;
  }
  EXPECT_DOUBLE_EQ(referee(plan, seen).kernels_us, 30.0 - 3.5);
}

TEST_F(Referee, RefusesAnotherKernelInTheMiddle) {
  Activity extra = last();
  extra.name = "prefetch";
  seen.records.push_back(extra);
  EXPECT_EQ(disagreement(),
            "the kernels partial, combine, prefetch ran, the plan launches partial, combine");
}

TEST_F(Referee, RefusesAKernelThatDidNotRun) {
  seen.records.pop_back();
  EXPECT_EQ(disagreement(), "the kernels partial ran, the plan launches partial, combine");
}

TEST_F(Referee, RefusesWhatNobodyLaunched) {
  Activity extra = last();
  extra.iteration = Activity::k_nobody;
  seen.records.push_back(extra);
  EXPECT_EQ(disagreement(), "kernel combine was seen that no launch of the plan caused");
}

TEST_F(Referee, RefusesCopiesFillsAndAllocations) {
  Activity extra;
  extra.iteration = 3;
  extra.bytes = 64;
  seen.records.push_back(extra);
  for (const auto& [kind, text] : {std::pair{Activity::Kind::copy, "a copy of 64 bytes"},
                                   {Activity::Kind::fill, "a fill of 64 bytes"},
                                   {Activity::Kind::allocation, "an allocation of 64 bytes"}}) {
    last().kind = kind;
    EXPECT_EQ(disagreement(), std::string(text) + ", which no plan declares");
  }
}

TEST_F(Referee, RefusesAnotherStream) {
  last().in_stream = false;
  EXPECT_EQ(disagreement(), "kernel combine ran outside the stream that is timed");
}

TEST_F(Referee, RefusesAnotherGeometry) {
  Activity& kernel = last();
  const Activity right = kernel;
  kernel.grid = {1, 2, 1};
  EXPECT_EQ(disagreement(), "kernel combine ran with grid [1, 2, 1], the plan says [64, 2, 1]");
  kernel = right;
  kernel.block = {32, 1, 1};
  EXPECT_EQ(disagreement(), "kernel combine ran with block [32, 1, 1], the plan says [256, 1, 1]");
  kernel = right;
  kernel.dynamic_shared_bytes = 0;
  EXPECT_EQ(disagreement(),
            "kernel combine ran with 0 bytes of dynamic shared memory, the plan says 1024");
  kernel = right;
  plan.launches[1].has_cluster = true;
  plan.launches[1].cluster = {2, 1, 1};
  EXPECT_EQ(disagreement(), "kernel combine ran with cluster [1, 1, 1], the plan says [2, 1, 1]");
}

TEST_F(Referee, RefusesWorkOutsideTheEvents) {
  seen.event_us.assign(5, 25.0);
  EXPECT_THAT(disagreement(), HasSubstr("kernels ran for 30.00 us, the events are 25.00 us apart"));
}

TEST_F(Referee, RefusesTimeInWhichNoKernelRan) {
  seen.event_us.assign(5, 60.0);
  EXPECT_THAT(disagreement(),
              HasSubstr("the events are 60.00 us apart, and kernels ran for 30.00"));
  // Launches that waited for the host leave gaps.
  seen.held = false;
  EXPECT_EQ(referee(plan, seen).status, RefereeVerdict::Status::agreed);
}

TEST_F(Referee, SaysNothingOfWhatItDidNotSee) {
  ActivityResult none;
  none.reason = "no CUPTI here";
  EXPECT_EQ(referee(plan, none).status, RefereeVerdict::Status::unavailable);
  EXPECT_EQ(referee(plan, none).reason, "no CUPTI here");
  seen.dropped = 3;
  EXPECT_EQ(referee(plan, seen).status, RefereeVerdict::Status::unavailable);
  EXPECT_EQ(referee(plan, seen).reason, "3 records of what the GPU did were lost");
}

TEST_F(Referee, FindsTimesThatTheKernelsContradict) {
  const RefereeVerdict verdict = referee(plan, seen);
  EXPECT_EQ(contradiction(verdict, 32.0), "");
  EXPECT_EQ(contradiction(verdict, 29.0), "");
  EXPECT_EQ(
      contradiction(verdict, 15.0),
      "timed launches took 15.00 us, and the kernels ran for 30.00 us when they were watched");
  EXPECT_EQ(contradiction(RefereeVerdict(), 1.0), "");
}

}  // namespace
}  // namespace kernelloop
