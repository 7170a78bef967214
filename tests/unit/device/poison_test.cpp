#include "device/poison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kernelloop {
namespace {

TEST(Poison, IsNanUnlessAskedOtherwise) {
  std::vector<std::byte> memory(9);
  Poison().fill(memory);
  EXPECT_EQ(memory, std::vector<std::byte>(9, std::byte{0xFF}));
  Poison(std::byte{3}).fill(memory);
  EXPECT_EQ(memory, std::vector<std::byte>(9, std::byte{3}));
}

TEST(Poison, EachByteOfNoiseIsKnownByItsOffset) {
  const Poison noise = Poison::noise(11);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, 2 * noise.period() + 13}) {
    std::vector<std::byte> memory(size);
    noise.fill(memory);
    std::size_t differing = 0;
    for (std::size_t i = 0; i < size; ++i) differing += memory[i] != noise.at(i) ? 1 : 0;
    EXPECT_EQ(differing, 0u) << size;
  }
}

TEST(Poison, NoiseHasNoFavouriteByteAndFollowsItsSeed) {
  std::vector<std::byte> one(1 << 16);
  std::vector<std::byte> other(one.size());
  Poison::noise(1).fill(one);
  Poison::noise(2).fill(other);
  EXPECT_NE(one, other);
  for (int value = 0; value < 256; ++value) {
    // 256 expected, with a standard deviation of 16.
    EXPECT_NEAR(std::ranges::count(one, static_cast<std::byte>(value)), 256, 96) << value;
  }
}

TEST(Poison, OfTwoSeedsDiffers) {
  EXPECT_EQ(Poison::noise(1), Poison::noise(1));
  EXPECT_FALSE(Poison::noise(1) == Poison::noise(2));
  EXPECT_FALSE(Poison::noise(255) == Poison());
}

}  // namespace
}  // namespace kernelloop
