// Blocks that are resident at the same time, and what a block finds in shared memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_module.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace kernelloop::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

class Residents : public ::testing::Test {
 protected:
  std::vector<float> running_sum(const std::string& kernel, unsigned blocks, unsigned threads,
                                 std::size_t dynamic, std::uint64_t seed) const {
    std::vector<unsigned> flags(blocks);
    std::vector<float> y(blocks);
    const LaunchResult result =
        module_.launch(kernel, shape(blocks, threads, dynamic, seed), flags.data(), y.data());
    EXPECT_EQ(result.status, KERNELLOOP_CPU_OK) << result.message;
    return y;
  }
  static std::vector<float> counted(unsigned blocks) {
    std::vector<float> y(blocks);
    std::iota(y.begin(), y.end(), 1.0f);
    return y;
  }
  const CpuModule module_{built_kernels("groups_of_blocks")};
};

TEST_F(Residents, BlocksStartInOrderWithoutASeedAndElseInAnyOrderOfTheirGroupButForEarlyOnes) {
  const auto starts = [this](std::uint64_t seed) {
    unsigned counter = 0;
    std::vector<unsigned> y(40);
    module_.launch("starts", shape(40, 1, 0, seed), &counter, y.data());
    return y;
  };
  std::vector<unsigned> in_order(40);
  std::iota(in_order.begin(), in_order.end(), 0u);
  EXPECT_EQ(starts(0), in_order);
  std::set<std::vector<unsigned>> orders;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<unsigned> y = starts(seed);
    EXPECT_EQ(y, starts(seed));
    std::vector<unsigned> order(y.size());
    for (unsigned block = 0; block < y.size(); ++block) order.at(y[block]) = block;
    // After at most four, all of later groups, one group follows the other.
    const auto first =
        std::find_if(order.begin(), order.end(), [](unsigned one) { return one < 16; });
    EXPECT_THAT(first - order.begin(), AllOf(Ge(1), Le(4)));
    EXPECT_TRUE(
        std::is_sorted(first, order.end(), [](unsigned a, unsigned b) { return a / 16 < b / 16; }));
    orders.insert(y);
    std::sort(y.begin(), y.end());
    EXPECT_EQ(y, in_order);
  }
  EXPECT_EQ(orders.size(), 5U);
}

TEST_F(Residents, AKernelThatTrustsTheOrderOfBlocksIsWrongInAnother) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed <= 5; ++seed) {
    std::vector<float> y(20);
    module_.launch("trusts_the_order", shape(20, 1, 0, seed), y.data());
    wrong += y != counted(20) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 5);  // in order it is right
}

TEST_F(Residents, AKernelThatTrustsBlocksFarBeforeItsOwnIsWrongToo) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed <= 8; ++seed) {
    std::vector<float> y(64);
    module_.launch("trusts_the_first_half", shape(64, 1, 0, seed), y.data());
    wrong += y != counted(64) ? 1 : 0;
  }
  EXPECT_GE(
      wrong,
      6);  // in order it is right; one schedule in 30 starts no block of the second half early
}

TEST_F(Residents, ABlockMayWaitForOnesBefore) {
  for (std::uint64_t seed = 0; seed <= 8; ++seed) {
    EXPECT_EQ(running_sum("looks_back", 37, 64, 0, seed), counted(37)) << seed;
    EXPECT_EQ(running_sum("looks_back_by_atomics", 20, 8, 32, seed), counted(20)) << seed;
    // With fewer threads and more, so that places are used again.
    EXPECT_EQ(running_sum("looks_back", 17, 33, 0, seed), counted(17)) << seed;
  }
}

// One block of a later group is left when all others have ended, wherever it is kept.
TEST_F(Residents, AnEarlyBlockMayBeTheLastThatWaitsWithinAGroup) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    EXPECT_EQ(running_sum("looks_back", 80, 32, 0, seed), counted(80)) << seed;
  }
}

TEST_F(Residents, WaitingForNobodyEnds) {
  std::vector<unsigned> flags(4);
  for (const std::uint64_t seed : {0, 3}) {
    const LaunchResult result =
        module_.launch("waits_for_ever", shape(4, 2, 0, seed), flags.data());
    EXPECT_EQ(result.status, KERNELLOOP_CPU_NOT_RUNNABLE);
    EXPECT_THAT(result.message, HasSubstr("spins for something that no thread of its block"));
    // Whatever was stopped in its midst, the next launch starts afresh.
    EXPECT_EQ(running_sum("looks_back", 20, 64, 0, 5), counted(20));
  }
}

TEST_F(Residents, LoopsMeanWhatTheyMeant) {
  std::vector<int> y(2);
  EXPECT_EQ(module_.launch("loops", shape(1, 2), y.data()).status, KERNELLOOP_CPU_OK);
  EXPECT_THAT(y, Each(3000));
}

TEST_F(Residents, SharedMemoryIsPoisonedForEachBlock) {
  const auto found = [this](std::uint64_t noise) {
    std::vector<unsigned> y(4 * 64), dynamic(4 * 64);
    LaunchShape launch = shape(4, 64, 256);
    launch.noise = noise;
    module_.launch("reads_shared", launch, y.data(), dynamic.data());
    y.insert(y.end(), dynamic.begin(), dynamic.end());
    return y;
  };
  EXPECT_THAT(found(0), Each(0xFFFFFFFFu));
  const std::vector<unsigned> noise = found(9);
  EXPECT_EQ(std::set<unsigned>(noise.begin(), noise.end()).size(), noise.size());
  EXPECT_EQ(found(9), noise);
  EXPECT_NE(found(10), noise);
}

TEST_F(Residents, AnUnwrittenLocalVariableIsNotZero) {
  unsigned y = 0;
  module_.launch("reads_local", shape(1, 1), &y, 3);
  EXPECT_NE(y, 0U);
}

TEST_F(Residents, AssertIsKnownWithoutAHeader) {
  int y = 0;
  const LaunchResult result = module_.launch("asserts", shape(1, 1), &y);
  EXPECT_EQ(result.status, KERNELLOOP_CPU_TRAP);
  EXPECT_THAT(result.message, HasSubstr("assertion `y[0] == 1` failed"));
}

}  // namespace
}  // namespace kernelloop::testing
