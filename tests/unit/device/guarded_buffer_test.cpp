#include "device/guarded_buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace kernelloop {
namespace {

TEST(GuardedBuffer, AnyNumberOfBytesIsAlignedAndWritable) {
  for (const std::size_t bytes : {0u, 1u, 15u, 16u, 100u, 4096u, 4097u, 1000000u}) {
    const GuardedBuffer buffer("y", bytes, false);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 16, 0u);
    ASSERT_EQ(buffer.bytes().size(), bytes);
    for (std::byte& value : buffer.bytes()) value = std::byte{1};
    EXPECT_EQ(buffer.damage(), "") << bytes;
  }
}

TEST(GuardedBuffer, WritesAroundItAreMeasured) {
  const GuardedBuffer behind("y", 100, false);
  behind.data()[102] = std::byte{1};
  EXPECT_EQ(behind.damage(), "wrote 3 bytes past the end of 'y' (100 bytes)");
  const GuardedBuffer before("x", 100, false);
  before.data()[-8] = std::byte{1};
  EXPECT_EQ(before.damage(), "wrote 8 bytes before the start of 'x' (100 bytes)");
}

TEST(GuardedBuffer, KnowsItsGuardPages) {
  const GuardedBuffer buffer("y", 4096, false);
  EXPECT_EQ(buffer.distance(buffer.data()), 0);
  EXPECT_EQ(buffer.distance(buffer.data() + 4095), 0);
  EXPECT_EQ(buffer.distance(buffer.data() + 4096), 1);
  EXPECT_EQ(buffer.distance(buffer.data() + 5000), 905);
  EXPECT_EQ(buffer.distance(buffer.data() - 1), -1);
  EXPECT_EQ(buffer.distance(nullptr), 0);
}

TEST(GuardedBuffer, FencesLieRightAtEitherEnd) {
  const GuardedBuffer end("y", 100, false, Placement::fence_end, 4);
  EXPECT_EQ(end.distance(end.data() + 100), 1);
  const GuardedBuffer begin("y", 100, false, Placement::fence_begin, 4);
  EXPECT_EQ(begin.distance(begin.data() - 1), -1);
  begin.data()[100] = std::byte{1};
  EXPECT_EQ(begin.damage(), "wrote 1 bytes past the end of 'y' (100 bytes)");
}

TEST(GuardedBuffer, TheAlignmentIsTheDeclaredOneAndNoBetter) {
  for (const bool sanitized : {false, true}) {
    for (const std::size_t alignment : {1u, 2u, 4u, 16u, 256u, 2048u}) {
      for (const std::size_t bytes : {0u, 1u, 100u, 4096u, 5000u}) {
        const GuardedBuffer least("y", bytes, sanitized, Placement::least_alignment, alignment);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(least.data()) % (2 * alignment), alignment);
        const GuardedBuffer end("y", bytes, sanitized, Placement::fence_end, alignment);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(end.data()) % alignment, 0u);
        for (std::byte& value : least.bytes()) value = std::byte{1};
        EXPECT_EQ(least.damage(), "");
      }
    }
  }
}

TEST(GuardedBufferDeathTest, TheStartIsAWall) {
  const GuardedBuffer buffer("y", 100, false, Placement::fence_begin);
  EXPECT_DEATH(*(volatile std::byte*)(buffer.data() - 1) = std::byte{1}, "");
}

TEST(GuardedBufferDeathTest, TheEndIsAWall) {
  const GuardedBuffer buffer("y", 4096, false);
  EXPECT_DEATH(*(volatile std::byte*)(buffer.data() + 4096) = std::byte{1}, "");
}

TEST(GuardedBuffer, SanitizedOnesHaveTheExactSizeOnTheHeap) {
  const GuardedBuffer buffer("y", 100, true);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, 0u);
  EXPECT_EQ(buffer.bytes().size(), 100u);
  EXPECT_EQ(buffer.distance(buffer.data() + 100), 0);
}

TEST(GuardedBuffer, AReadOnlyOneKnowsWhichStoresItForbids) {
  for (const bool sanitized : {false, true}) {
    GuardedBuffer buffer("x", 100, sanitized, Placement::least_alignment);
    buffer.data()[99] = std::byte{7};
    EXPECT_FALSE(buffer.forbids_store_to(buffer.data()));
    buffer.make_read_only();
    EXPECT_EQ(buffer.data()[99], std::byte{7});
    EXPECT_TRUE(buffer.forbids_store_to(buffer.data()));
    EXPECT_TRUE(buffer.forbids_store_to(buffer.data() + 99));
    EXPECT_FALSE(buffer.forbids_store_to(buffer.data() + 100));
    EXPECT_FALSE(buffer.forbids_store_to(buffer.data() - 1));
    const GuardedBuffer moved = std::move(buffer);
    EXPECT_TRUE(moved.forbids_store_to(moved.data()));
  }
}

TEST(GuardedBufferDeathTest, AReadOnlyOneTakesNoStore) {
  for (const bool sanitized : {false, true}) {
    GuardedBuffer buffer("x", 100, sanitized);
    buffer.make_read_only();
    EXPECT_DEATH(*(volatile std::byte*)(buffer.data() + 50) = std::byte{1}, "");
  }
}

TEST(GuardedBuffer, MovesWithItsMemory) {
  GuardedBuffer first("y", 8, false);
  first.data()[0] = std::byte{5};
  const GuardedBuffer second = std::move(first);
  EXPECT_EQ(second.bytes()[0], std::byte{5});
  EXPECT_EQ(second.damage(), "");
}

}  // namespace
}  // namespace kernelloop
