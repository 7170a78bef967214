// Blocks: barriers, atomics, coordinates, shared memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_module.hpp"

#include <array>
#include <numeric>
#include <vector>

namespace kernelloop::testing {
namespace {

using ::testing::Each;

class Blocks : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  LaunchShape threads(std::uint64_t grid, std::uint64_t block, std::size_t shared = 0) const {
    return shape(grid, block, shared, GetParam());
  }
  const CpuModule module_{built_kernels("blocks")};
  const CpuModule shared_{built_kernels("shared")};
};
INSTANTIATE_TEST_SUITE_P(Seeds, Blocks, ::testing::Values(0, 1, 7));

TEST_P(Blocks, BarriersCountOnlyThoseWhoAreThere) {
  std::vector<int> out(100, -1);
  ASSERT_EQ(module_.launch("counting", threads(1, 100), out.data()).status, KERNELLOOP_CPU_OK);
  for (std::size_t t = 0; t < 100; ++t) EXPECT_EQ(out[t], t < 70 ? 35 + 1000 + 4000 : -1);
}

TEST_P(Blocks, Atomics) {
  std::array<int, 5> i = {0, 1000, 0, 0, 0};
  std::array<unsigned, 7> u = {0xFFu, 0, 5, 3, 4, 0, 1};
  std::array<unsigned long long, 2> l{};
  float f = 0;
  double d = 0;
  ASSERT_EQ(module_.launch("atomics", threads(2, 64), i.data(), u.data(), l.data(), &f, &d).status,
            KERNELLOOP_CPU_OK);
  EXPECT_THAT(i, ::testing::ElementsAre(127 * 64, 1000 - 256, -127, 127, 128));
  EXPECT_EQ(u[0], 0xF0u);
  EXPECT_EQ(u[1], 0xFFu);
  EXPECT_EQ(u[2], 5u);
  EXPECT_EQ(u[3], (3 + 128) % 10u);
  EXPECT_EQ(u[4], (4 + 10 * 13 - 128) % 10u);
  EXPECT_EQ(u[5], 77u);
  EXPECT_EQ(u[6], 1u + 3 * 128);
  EXPECT_EQ(l[0], 128ull << 33);
  EXPECT_EQ(l[1], 127ull);
  EXPECT_EQ(f, 64.0f);
  EXPECT_EQ(d, 32.0);
}

TEST_P(Blocks, ThreeDimensions) {
  LaunchShape three;
  three.seed = GetParam();
  const std::uint64_t grid[3] = {2, 3, 4};
  const std::uint64_t block[3] = {4, 5, 6};
  std::copy(std::begin(grid), std::end(grid), three.grid);
  std::copy(std::begin(block), std::end(block), three.block);
  const int total = 2 * 3 * 4 * 4 * 5 * 6;
  std::vector<int> out(total, -1);
  ASSERT_EQ(module_.launch("coordinates", three, out.data(), total).status, KERNELLOOP_CPU_OK);
  const std::array<int, 4> offsets = {1, 10, 100, 1000};
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], offsets[i % 4] + 2 * offsets[i / 120 / 6]) << i;
  }
}

TEST_P(Blocks, TheLastBlockSeesWhatTheOthersLeft) {
  const std::vector<float> x(8 * 96, 0.5f);
  std::vector<float> partial(8);
  float y = 0;
  unsigned finished = 0;
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_EQ(module_.launch("last_block", threads(8, 96), x.data(), partial.data(), &y, &finished)
                  .status,
              KERNELLOOP_CPU_OK);
    EXPECT_EQ(y, 8 * 96 * 0.5f);
  }
}

TEST_P(Blocks, SpinningThreadsLetOthersRun) {
  int mutex = 0;
  int counter = 0;
  EXPECT_EQ(module_.launch("lock", threads(2, 128), &mutex, &counter).status, KERNELLOOP_CPU_OK);
  EXPECT_EQ(counter, 256);
  int ready = 0;
  std::vector<int> out(64);
  EXPECT_EQ(module_.launch("flag", threads(1, 64), &ready, out.data()).status, KERNELLOOP_CPU_OK);
  EXPECT_THAT(out, Each(1));
}

TEST_P(Blocks, SharedVariablesInTemplates) {
  std::vector<float> f(64);
  std::vector<int> i(128);
  ASSERT_EQ(shared_.launch("rotate_both", threads(1, 64), f.data(), i.data()).status,
            KERNELLOOP_CPU_OK);
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQ(f[static_cast<std::size_t>(t)], static_cast<float>((t + 1) % 64));
    EXPECT_EQ(i[static_cast<std::size_t>(t)], (t + 1) % 64);
    EXPECT_EQ(i[static_cast<std::size_t>(64 + t)], 1) << "instances share their variable";
  }
}

TEST_P(Blocks, SharedVariablesOfManyForms) {
  std::vector<int> out(64);
  ASSERT_EQ(shared_.launch("many", threads(1, 32), out.data()).status, KERNELLOOP_CPU_OK);
  for (std::size_t t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], 54321);
    EXPECT_EQ(out[32 + t], 109876);
  }
}

TEST_P(Blocks, DynamicSharedMemory) {
  constexpr int n = 5000;
  std::vector<float> out(n);
  ASSERT_EQ(shared_.launch("dynamic", threads(1, 128, n * 4), out.data(), n).status,
            KERNELLOOP_CPU_OK);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], static_cast<float>(n - 1 - i));
}

TEST_P(Blocks, UnwrittenSharedMemoryIsPoisonInEveryBlock) {
  std::vector<unsigned> out(6);
  ASSERT_EQ(shared_.launch("unwritten", threads(3, 1, 64), out.data()).status, KERNELLOOP_CPU_OK);
  EXPECT_THAT(out, Each(0xFFFFFFFFu));
}

}  // namespace
}  // namespace kernelloop::testing
