#include "support/random.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(RandomStream, ASingleNormalNumberIsThatOfItsPair) {
  const RandomStream stream(7, "x");
  for (std::uint64_t pair = 0; pair < 1000; ++pair) {
    const auto floats = stream.normal_pair<float>(pair);
    EXPECT_EQ(stream.normal<float>(2 * pair), floats.first);
    EXPECT_EQ(stream.normal<float>(2 * pair + 1), floats.second);
    const auto doubles = stream.normal_pair<double>(pair);
    EXPECT_EQ(stream.normal<double>(2 * pair), doubles.first);
    EXPECT_EQ(stream.normal<double>(2 * pair + 1), doubles.second);
  }
}

}  // namespace
}  // namespace kernelloop
