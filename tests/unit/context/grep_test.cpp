#include "context/grep.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

bool matches(const std::string& pattern, const std::string& line, bool ignore_case = false) {
  const LinePattern compiled(pattern, ignore_case);
  EXPECT_EQ(compiled.error(), "") << pattern;
  // The cheap test may never lose a line.
  const bool result = compiled.matches(line);
  if (result) {
    EXPECT_TRUE(compiled.may_match("x\n" + line)) << pattern;
  }
  return result;
}

TEST(Grep, PatternsMeanWhatTheySay) {
  EXPECT_TRUE(matches("__shfl_xor_sync", "v = __shfl_xor_sync(m, v, 1);"));
  EXPECT_TRUE(matches("ld\\.global(\\.nc)?\\.v4", "ld.global.nc.v4.f32"));
  EXPECT_FALSE(matches("ld\\.global\\.v4", "ldxglobalxv4"));
  EXPECT_TRUE(matches("^struct [A-Z]", "struct Layout"));
  EXPECT_FALSE(matches("^struct [A-Z]", " struct Layout"));
  EXPECT_TRUE(matches("colou?r", "the color"));
  EXPECT_TRUE(matches("ab*c", "ac"));
  EXPECT_TRUE(matches("wgmma|tcgen05", "tcgen05.mma"));
  EXPECT_TRUE(matches("TENSOR map", "a tensor MAP", true));
  EXPECT_FALSE(matches("TENSOR map", "a tensor MAP"));
}

TEST(Grep, BracesAreCharacters) {
  EXPECT_TRUE(matches("f() {", "void f() {") || matches("f\\(\\) {", "void f() {"));
  EXPECT_TRUE(matches("x{3}", "x{3}"));
  EXPECT_FALSE(matches("x{3}", "xxx"));
  EXPECT_TRUE(matches("[{]", "a {"));
}

TEST(Grep, SaysWhatIsWrongWithAPattern) {
  const auto error = [](const std::string& pattern) { return LinePattern(pattern, false).error(); };
  EXPECT_EQ(error(""), "the pattern must have 1 to 200 characters");
  EXPECT_EQ(error(std::string(201, 'a')), "the pattern must have 1 to 200 characters");
  EXPECT_EQ(error("a\nb"), "the pattern must be of one line");
  EXPECT_EQ(error("(a)\\1"), "back-references cannot be used");
  EXPECT_EQ(error("\\\\1"), "");
  EXPECT_EQ(error("(a").substr(0, 46), "the pattern is no extended regular expression:");
}

TEST(Grep, OfAnEndlessLineOnlyTheBeginningCounts) {
  EXPECT_TRUE(matches("a.c", "abc" + std::string(1 << 20, 'x')));
  EXPECT_FALSE(matches("a.c$", std::string(1 << 20, 'x') + "abc"));
}

}  // namespace
}  // namespace kernelloop
