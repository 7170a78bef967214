#include "support/text.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(Text, ChangesTheCaseOfLettersOnly) {
  EXPECT_EQ(lower_case("GH100-A_\xC3\x84"), "gh100-a_\xC3\x84");
  EXPECT_EQ(upper_case("gh100-a_\xC3\xA4"), "GH100-A_\xC3\xA4");
}

TEST(Text, IsTrimmedOfBlanksAndEndsOfLines) {
  EXPECT_EQ(trimmed(" \t a b\v\f\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Text, TimesInSeconds) {
  EXPECT_EQ(seconds_text(std::chrono::milliseconds(1500)), "1.5 s");
  EXPECT_EQ(seconds_text(std::chrono::minutes(2)), "120 s");
}

TEST(Text, AShellWordIsOneWord) {
  EXPECT_EQ(shell_word("/a/b-c_d.e=1"), "/a/b-c_d.e=1");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$(x) & it's"), "'$(x) & it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Text, TheLastLineIsTheLastThatSaysSomething) {
  EXPECT_EQ(last_line("one\ntwo  \n\n \r\n"), "two");
  EXPECT_EQ(last_line("  one"), "  one");
  EXPECT_EQ(last_line("\n \n"), "");
  EXPECT_EQ(last_line(""), "");
}

TEST(Text, IsCutBetweenCharacters) {
  EXPECT_EQ(shortened("four", 4), "four");
  EXPECT_EQ(shortened("four", 3), "fou ...");
  EXPECT_EQ(shortened("fo\xC3\xBCr", 3), "fo ...");
}

TEST(Text, OfOthersHoldsNothingThatATerminalObeys) {
  EXPECT_EQ(plain_text("a\tb\nc \xC3\xBC", 100), "a\tb\nc \xC3\xBC");
  EXPECT_EQ(plain_text(std::string_view("\x1b[2J\0\x7f\r|", 8), 100), "?[2J???|");
  EXPECT_EQ(plain_text("\xC2\x9B"
                       "31m \xC2\xA9",
                       100),
            "?31m \xC2\xA9");
  EXPECT_EQ(plain_text("abc", 1), "a ...");
}

}  // namespace
}  // namespace kernelloop
