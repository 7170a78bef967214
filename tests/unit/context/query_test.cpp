#include "context/query.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(Query, WordsAreTermsAndNamesArePhrases) {
  const ContextQuery query = parse_query("cute::make_layout mbarrier.try_wait  __shfl_xor_sync");
  EXPECT_EQ(query.all(), "\"cute make_layout\" AND \"mbarrier try_wait\" AND \"__shfl_xor_sync\"");
  EXPECT_EQ(query.any(), "\"cute make_layout\" OR \"mbarrier try_wait\" OR \"__shfl_xor_sync\"");
  EXPECT_EQ(query.beginnings(),
            "\"cute\" * OR \"make_layout\" * OR \"mbarrier\" * OR \"try_wait\" * OR "
            "\"__shfl_xor_sync\" *");
}

TEST(Query, QuotesHoldWordsTogether) {
  EXPECT_EQ(parse_query("\"tensor map\" swizzle").all(), "\"tensor map\" AND \"swizzle\"");
  EXPECT_EQ(parse_query("x\"tensor map").all(), "\"x\" AND \"tensor map\"");
}

TEST(Query, WordsThatSayNothingGo) {
  EXPECT_EQ(parse_query("How to use the TMA").all(), "\"tma\"");
  EXPECT_EQ(parse_query("how to").all(), "\"how\" AND \"to\"");
}

TEST(Query, NothingOfTheQueryIsSyntax) {
  EXPECT_EQ(parse_query("a\" OR file:b* NEAR(c) -d ^e").all(), "\"or file b near c d e\"");
  EXPECT_TRUE(parse_query("").empty());
  EXPECT_TRUE(parse_query(" \"\" () * ").empty());
  EXPECT_EQ(parse_query(std::string(5000, 'x') + " y").terms.size(), 2u);
  std::string many;
  for (int i = 0; i < 100; ++i) many += "w" + std::to_string(i) + " ";
  EXPECT_EQ(parse_query(many).terms.size(), 16u);
}

TEST(Query, TheWindowIsWhereMostTermsAre) {
  const ContextQuery query = parse_query("alpha beta");
  const std::vector<std::string_view> lines{"alpha", "", "", "alpha", "x", "Beta", "", "beta"};
  EXPECT_EQ(best_window(lines, 3, query), 3u);
  EXPECT_EQ(best_window(lines, 20, query), 0u);
  EXPECT_EQ(best_window({}, 3, query), 0u);
}

}  // namespace
}  // namespace kernelloop
