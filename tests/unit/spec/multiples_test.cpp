#include "spec/multiples.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

bool shown(const std::string& value, const std::string& condition, std::int64_t factor = 16) {
  const Bindings fixed = {{"head_dim", 128}, {"k", 8}};
  return is_multiple(Expression::parse(value),
                     condition.empty() ? std::nullopt : std::optional(Expression::parse(condition)),
                     factor, fixed);
}

TEST(Multiples, AreShownByTheCondition) {
  EXPECT_TRUE(shown("cols", "cols % 16 == 0"));
  EXPECT_TRUE(shown("cols", "cols<=1024 && ( cols%64 ) == 0 && rows > 1"));
  EXPECT_TRUE(shown("cols * 2 + 1", "(cols*2 + 1) % 32 == 0"));
}

TEST(Multiples, AreShownByTheValue) {
  EXPECT_TRUE(shown("cols", "cols == 4096"));
  EXPECT_TRUE(shown("cols", "rows > 1 && 4096 == cols"));
  EXPECT_TRUE(shown("cols / 2", "(cols / 2) == 32"));
  EXPECT_FALSE(shown("cols", "cols == 4104"));
  EXPECT_FALSE(shown("cols", "cols / 2 == 32"));
  EXPECT_FALSE(shown("cols", "cols != 4096"));
  EXPECT_FALSE(shown("cols", "cols == 4096 || rows == 1"));
  EXPECT_FALSE(shown("cols", "cols == 4096 ? 1 : 1"));
}

TEST(Multiples, AreKnownOfWhatIsFixed) {
  EXPECT_TRUE(shown("64", ""));
  EXPECT_TRUE(shown("head_dim", ""));
  EXPECT_TRUE(shown("head_dim * k", "rows > 3"));
  EXPECT_FALSE(shown("k", ""));
  EXPECT_FALSE(shown("k", "k % 16 == 0"));
}

TEST(Multiples, AreNotShownByLess) {
  EXPECT_FALSE(shown("cols", ""));
  EXPECT_FALSE(shown("cols", "cols % 8 == 0"));
  EXPECT_FALSE(shown("cols", "cols % 24 == 0"));
  EXPECT_FALSE(shown("cols", "cols % 16 == 1"));
  EXPECT_FALSE(shown("cols", "cols % 16 != 0"));
  EXPECT_FALSE(shown("cols", "rows % 16 == 0"));
  EXPECT_FALSE(shown("cols", "cols % 16 == 0 || rows == 1"));
  EXPECT_FALSE(shown("cols", "!(cols % 16 == 0)"));
  EXPECT_FALSE(shown("cols", "0 == cols % 16 ? 1 : 1"));
  EXPECT_FALSE(shown("cols", "cols % 0 == 0"));
}

}  // namespace
}  // namespace kernelloop
