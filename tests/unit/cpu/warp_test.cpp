// Warp-wide functions, in order and under random schedules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_module.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace kernelloop::testing {
namespace {

using ::testing::Each;

class Warp : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  LaunchShape one_warp() const { return shape(1, 32, 0, GetParam()); }
  const CpuModule module_{built_kernels("warp")};
};
INSTANTIATE_TEST_SUITE_P(Seeds, Warp, ::testing::Values(0, 1, 99));

TEST_P(Warp, ShufflesFollowPtx) {
  for (const int width : {32, 8}) {
    std::array<int, 160> out{};
    ASSERT_EQ(module_.launch("shuffles", one_warp(), out.data(), width).status, KERNELLOOP_CPU_OK);
    for (int t = 0; t < 32; ++t) {
      const int first = t / width * width;
      const int last = first + width - 1;
      const auto at = [&](int row) { return out[static_cast<std::size_t>(32 * row + t)]; };
      EXPECT_EQ(at(0), first + 5 % width);
      EXPECT_EQ(at(1), t - 3 >= first ? t - 3 : t);
      EXPECT_EQ(at(2), t + 3 <= last ? t + 3 : t);
      EXPECT_EQ(at(3), (t ^ 9) <= last ? t ^ 9 : t);
      EXPECT_EQ(at(4), 2 * (t ^ 1) + 1);
    }
  }
}

TEST_P(Warp, AWidthThatIsNoPowerOfTwoIsRefused) {
  std::array<int, 160> out{};
  const LaunchResult result = module_.launch("shuffles", one_warp(), out.data(), 24);
  EXPECT_EQ(result.status, KERNELLOOP_CPU_MASK);
  EXPECT_THAT(result.message, ::testing::HasSubstr("width 24; it must be a power of two"));
}

TEST_P(Warp, VotesAndMatches) {
  std::array<unsigned, 160> out{};
  ASSERT_EQ(module_.launch("votes", one_warp(), out.data()).status, KERNELLOOP_CPU_OK);
  for (unsigned t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], 0x49249249u);
    EXPECT_EQ(out[32 + t], 1u);
    EXPECT_EQ(out[64 + t], 1u);
    EXPECT_EQ(out[96 + t], t < 30 ? 0x3FFu << (t / 10 * 10) : 0xC0000000u);
    EXPECT_EQ(out[128 + t], 15u);
  }
}

TEST_P(Warp, Reductions) {
  std::array<int, 160> out{};
  ASSERT_EQ(module_.launch("reductions", one_warp(), out.data()).status, KERNELLOOP_CPU_OK);
  for (std::size_t t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], -16);
    EXPECT_EQ(out[32 + t], -26);
    EXPECT_EQ(out[64 + t], 93);
    EXPECT_EQ(out[96 + t], 0xF0 + 256 * 15 + 65536 * 3);
    EXPECT_EQ(out[128 + t], -69);
  }
}

TEST_P(Warp, HalvesWithTheirOwnMasks) {
  std::array<int, 32> out{};
  ASSERT_EQ(module_.launch("halves", one_warp(), out.data()).status, KERNELLOOP_CPU_OK);
  for (int t = 0; t < 16; ++t) EXPECT_EQ(out[static_cast<std::size_t>(t)], 120);
  // Lane 16 gets a value from a lane that its mask leaves out; such values are poison.
  for (int t = 19; t < 32; ++t) EXPECT_EQ(out[static_cast<std::size_t>(t)], t - 3);
  EXPECT_EQ(out[16], -1);
}

TEST_P(Warp, ActiveLanesAreThoseAtTheSamePlace) {
  std::array<unsigned, 32> out{};
  ASSERT_EQ(module_.launch("active", one_warp(), out.data()).status, KERNELLOOP_CPU_OK);
  for (unsigned t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], t == 9 ? 0 : (t % 2 == 0 ? 0x55555555u : 0xAAAAAAAAu & ~(1u << 9))) << t;
  }
}

TEST_P(Warp, AWarpThatIsNotFullTakesTheFullMask) {
  std::array<int, 48> out{};
  LaunchShape threads = one_warp();
  threads.block[0] = 48;
  ASSERT_EQ(module_.launch("partial_warp", threads, out.data()).status, KERNELLOOP_CPU_OK);
  for (const std::size_t first : {0, 16, 32}) EXPECT_EQ(out[first], 16);
}

TEST_P(Warp, CooperativeGroups) {
  const CpuModule groups(built_kernels("groups"));
  constexpr int n = 96;
  std::array<int, 8 * n> out{};
  ASSERT_EQ(groups.launch("groups", shape(1, n, 0, GetParam()), out.data()).status,
            KERNELLOOP_CPU_OK);
  for (int t = 0; t < n; ++t) {
    const auto at = [&](int row) { return out[static_cast<std::size_t>(row * n + t)]; };
    const int q = t % 4;
    const int first = t - q;
    EXPECT_EQ(at(0), n - 1 - t);
    EXPECT_EQ(at(1), t / 32 * 100 + t % 32 / 4 * 10 + q);
    EXPECT_EQ(at(2), t / 32 * 32 * 32 + 496);
    EXPECT_EQ(at(3), 3);
    EXPECT_EQ(at(4), first + 2 + (q < 3 ? t + 1 : t) + (q > 0 ? t - 1 : t) + first + 3 - q);
    EXPECT_EQ(at(5), (q + 1) * 10 + q);
    EXPECT_EQ(at(6), 10 * 10 + 1 + 32);
    if (t % 3 != 0) continue;
    int before = 0;
    int all = 0;
    for (int lane = t / 32 * 32; lane < t / 32 * 32 + 32; ++lane) {
      if (lane % 3 != 0) continue;
      ++all;
      before += lane < t ? 1 : 0;
    }
    EXPECT_EQ(at(7), all * 100 + before) << t;
  }
}

}  // namespace
}  // namespace kernelloop::testing
