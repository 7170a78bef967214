#include "bench/workload_feed.hpp"

#include "support/error.hpp"

#include <gtest/gtest.h>

#include "bench_fixture.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

class Feed : public testing::Test {
 protected:
  WorkloadFeed feed(bool ahead) { return {spec_, spec_.workloads_for("cuda"), "cuda", 7, ahead}; }

  OpSpec spec_ = scale_spec();
};

TEST_F(Feed, DrawnAheadAreThoseDrawnInTurn) {
  WorkloadFeed in_turn = feed(false);
  WorkloadFeed ahead = feed(true);
  for (const char* name : {"small", "large"}) {
    ASSERT_FALSE(ahead.empty());
    WorkloadFeed::Ready one = in_turn.take();
    WorkloadFeed::Ready other = ahead.take();
    EXPECT_EQ(other.one.workload.name, name);
    ASSERT_EQ(one.one.sets.size(), other.one.sets.size());
    for (std::size_t set = 0; set < one.one.sets.size(); ++set) {
      EXPECT_TRUE(std::ranges::equal(one.one.sets[set].bytes("x"), other.one.sets[set].bytes("x")));
    }
    in_turn.give_back(std::move(one.one));
    ahead.give_back(std::move(other.one));
  }
  EXPECT_TRUE(ahead.empty());
}

TEST_F(Feed, GivesTheErrorOfTheDrawing) {
  for (Workload& workload : spec_.workloads) workload.axes["n"] = 0;
  for (const bool ahead : {false, true}) EXPECT_THROW(feed(ahead).take(), Error);
}

TEST_F(Feed, MayBeLeftUntaken) { EXPECT_FALSE(feed(true).empty()); }

}  // namespace
}  // namespace kernelloop
