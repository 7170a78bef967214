#include "cost/budget.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;

constexpr std::int64_t k_usd = 1'000'000'000;

TEST(Budgets, AUserCanOnlyLower) {
  const Budget project{5 * k_usd, std::nullopt, 100};
  const Budget user{9 * k_usd, 1000, 10};
  const Budget both = lower_of(project, user);
  EXPECT_EQ(both.nano_usd, 5 * k_usd);
  EXPECT_EQ(both.tokens, 1000);
  EXPECT_EQ(both.requests, 10);
}

TEST(Budgets, StopBeforeTheRequestThatMayExceedThem) {
  const NextRequest next{"m", 100, k_usd};
  const auto reason = [&](const Budget& budget, const Spend& spent) {
    return reason_against(budget, spent, next, "softmax");
  };
  EXPECT_EQ(reason({}, {99 * k_usd, 1'000'000, 1'000, 5}), "");
  EXPECT_EQ(reason({std::nullopt, std::nullopt, 2}, {0, 0, 1, 0}), "");
  EXPECT_EQ(reason({std::nullopt, std::nullopt, 2}, {0, 0, 2, 0}),
            "budget of softmax spent: 2 of 2 requests");
  EXPECT_EQ(reason({std::nullopt, 200, std::nullopt}, {0, 100, 1, 0}), "");
  EXPECT_THAT(reason({std::nullopt, 199, std::nullopt}, {0, 100, 1, 0}),
              HasSubstr("100 of 199 tokens, and the next request may take 100"));
  EXPECT_EQ(reason({3 * k_usd, std::nullopt, std::nullopt}, {2 * k_usd, 0, 1, 0}), "");
  EXPECT_THAT(reason({3 * k_usd, std::nullopt, std::nullopt}, {2 * k_usd + 1, 0, 1, 0}),
              HasSubstr("2.00 USD of 3.00 USD, and the next request may cost 1.00 USD"));
}

TEST(Budgets, InMoneyNeedAPrice) {
  const Budget budget{k_usd, std::nullopt, std::nullopt};
  EXPECT_THAT(reason_against(budget, {}, {"local", 10, std::nullopt}, "softmax"),
              HasSubstr("the price of local is unknown"));
  EXPECT_THAT(reason_against(budget, {0, 0, 2, 2}, {"m", 10, 5}, "softmax"),
              HasSubstr("2 earlier requests had an unknown price"));
}

TEST(Budgets, SurviveJson) {
  const Budget budget{2 * k_usd + k_usd / 2, std::nullopt, 7};
  JsonDocument document{"x.json", {}, {{"budget", to_json(budget)}}, 1};
  const Budget read = budget_from_json(document, "/budget");
  EXPECT_EQ(read.nano_usd, budget.nano_usd);
  EXPECT_FALSE(read.tokens);
  EXPECT_EQ(read.requests, 7);
  EXPECT_FALSE(budget_from_json(document, "/none").is_limited());
  for (const char* text :
       {R"({"budget": {"usd": -1}})", R"({"budget": {"tokens": 1.5}})",
        R"({"budget": {"requests": "many"}})", R"({"budget": {"euro": 1}})", R"({"budget": 5})"}) {
    EXPECT_THROW(budget_from_json(parse_json(text, "x.json"), "/budget"), Error) << text;
  }
}

}  // namespace
}  // namespace kernelloop
