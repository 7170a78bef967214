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

TEST(GuardedBuffer, MovesWithItsMemory) {
  GuardedBuffer first("y", 8, false);
  first.data()[0] = std::byte{5};
  const GuardedBuffer second = std::move(first);
  EXPECT_EQ(second.bytes()[0], std::byte{5});
  EXPECT_EQ(second.damage(), "");
}

}  // namespace
}  // namespace kernelloop
