#include "support/memory_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace kernelloop {
namespace {

TEST(MemoryBlock, IsZeroAtFirst) {
  const MemoryBlock block(1 << 20, MemoryBlock::Kind::owned);
  const auto bytes = block.as<std::byte>();
  EXPECT_EQ(std::ranges::count(bytes, std::byte{0}), 1 << 20);
}

TEST(MemoryBlock, PopulatingKeepsWhatItHolds) {
  for (const auto kind : {MemoryBlock::Kind::owned, MemoryBlock::Kind::shared}) {
    const MemoryBlock block((9 << 20) + 5, kind);  // three pieces, the last one not whole
    const auto bytes = block.as<std::byte>();
    bytes[5 << 20] = std::byte{7};
    const bool possible = populate(bytes, true);
    EXPECT_EQ(populate(bytes.subspan(3), false), possible);
    EXPECT_EQ(bytes[5 << 20], std::byte{7});
    EXPECT_EQ(std::ranges::count(bytes, std::byte{0}),
              static_cast<std::ptrdiff_t>(bytes.size()) - 1);
  }
}

TEST(MemoryBlock, PopulatingLessThanAPageDoesNothing) {
  const MemoryBlock block(100, MemoryBlock::Kind::owned);
  populate(block.as<std::byte>(), true);
  populate({}, true);
  EXPECT_EQ(block.as<std::byte>()[99], std::byte{0});
}

TEST(MemoryPool, GivesAgainWhatCameBack) {
  const auto pool = std::make_shared<MemoryPool>(MemoryBlock::Kind::shared);
  {
    const auto lease = pool->take(1 << 20);
    lease.block().as<std::byte>()[0] = std::byte{7};
  }
  const auto again = pool->take(1 << 20);
  EXPECT_EQ(again.block().as<std::byte>()[0], std::byte{7});
  const auto other = pool->take(1 << 20);
  EXPECT_NE(other.block().as<std::byte>().data(), again.block().as<std::byte>().data());
}

TEST(MemoryPool, TakesMoreWhenWhatItHasIsTooSmall) {
  const auto pool = std::make_shared<MemoryPool>(MemoryBlock::Kind::shared);
  { const auto lease = pool->take(100); }
  const auto lease = pool->take(1 << 20);
  EXPECT_GE(lease.block().as<std::byte>().size(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace kernelloop
