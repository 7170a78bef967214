// Random schedules find a missing barrier; a kernel with all its barriers is right under each.
#include <gtest/gtest.h>

#include "cpu_module.hpp"

#include <numeric>
#include <vector>

namespace kernelloop::testing {
namespace {

constexpr int k_seeds = 10;

class Schedules : public ::testing::Test {
 protected:
  // Whether the sums of all rounds are right.
  bool sums_right(const std::string& kernel, std::uint64_t seed) const {
    constexpr int rounds = 6;
    std::vector<int> x(256 * rounds);
    std::iota(x.begin(), x.end(), 1);
    std::vector<int> y(rounds);
    EXPECT_EQ(module_.launch(kernel, shape(1, 256, 0, seed), x.data(), y.data(), rounds).status,
              KERNELLOOP_CPU_OK);
    for (int round = 0; round < rounds; ++round) {
      const auto begin = x.begin() + 256 * round;
      if (y[static_cast<std::size_t>(round)] != std::accumulate(begin, begin + 256, 0))
        return false;
    }
    return true;
  }
  bool lanes_right(const std::string& kernel, std::uint64_t seed) const {
    std::vector<int> y(32);
    EXPECT_EQ(module_.launch(kernel, shape(1, 32, 0, seed), y.data()).status, KERNELLOOP_CPU_OK);
    for (int t = 0; t < 32; ++t) {
      if (y[static_cast<std::size_t>(t)] != (t + 4) % 32) return false;
    }
    return true;
  }
  const CpuModule module_{built_kernels("races")};
};

TEST_F(Schedules, AMissingBarrierGivesWrongResults) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) wrong += sums_right("racy", seed) ? 0 : 1;
  EXPECT_GE(wrong, 8);
}

TEST_F(Schedules, AMissingWarpBarrierGivesWrongResults) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
    wrong += lanes_right("racy_warp", seed) ? 0 : 1;
  }
  EXPECT_GE(wrong, 8);
}

TEST_F(Schedules, ACorrectKernelIsRightUnderEverySchedule) {
  for (std::uint64_t seed = 0; seed <= 50; ++seed) {
    EXPECT_TRUE(sums_right("correct", seed)) << "seed " << seed;
    EXPECT_TRUE(lanes_right("correct_warp", seed)) << "seed " << seed;
  }
}

TEST_F(Schedules, ASeedGivesTheSameScheduleAgain) {
  const auto run = [this](std::uint64_t seed) {
    std::vector<int> x(256 * 6);
    std::iota(x.begin(), x.end(), 1);
    std::vector<int> y(6);
    module_.launch("racy", shape(1, 256, 0, seed), x.data(), y.data(), 6);
    return y;
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

}  // namespace
}  // namespace kernelloop::testing
