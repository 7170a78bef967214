#include "device/placement.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

constexpr std::size_t k_granule = 2u << 20;

TEST(FencedLayout, EndsAtTheFenceAsNearAsTheAlignmentAllows) {
  const FencedLayout layout = fenced_layout(4001, 16, k_granule, Placement::fence_end);
  EXPECT_EQ(layout.mapped, k_granule);
  EXPECT_EQ(layout.offset % 16, 0u);
  EXPECT_EQ(layout.behind, 15u);
  EXPECT_EQ(layout.offset + 4001 + layout.behind, k_granule);
}

TEST(FencedLayout, LeavesNothingBehindWhereTheSizeFits) {
  for (const std::size_t bytes : {std::size_t{16}, std::size_t{4000}, k_granule, 3 * k_granule}) {
    EXPECT_EQ(fenced_layout(bytes, 16, k_granule, Placement::fence_end).behind, 0u) << bytes;
  }
  EXPECT_EQ(fenced_layout(3, 1, k_granule, Placement::fence_end).behind, 0u);
}

TEST(FencedLayout, BeginsAtTheFence) {
  const FencedLayout layout = fenced_layout(4001, 256, k_granule, Placement::fence_begin);
  EXPECT_EQ(layout.offset, 0u);
  EXPECT_EQ(layout.behind, k_granule - 4001);
}

TEST(FencedLayout, TakesWholeGranulesAndAtLeastOne) {
  EXPECT_EQ(fenced_layout(0, 16, k_granule, Placement::fence_end).mapped, k_granule);
  EXPECT_EQ(fenced_layout(k_granule + 1, 16, k_granule, Placement::fence_end).mapped,
            2 * k_granule);
}

}  // namespace
}  // namespace kernelloop
