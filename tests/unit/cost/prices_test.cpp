#include "cost/prices.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string k_day = "2026-11-29";

Usage tokens(std::int64_t input, std::int64_t output) { return {input, output}; }

class OwnPrices : public testing::Test {
 protected:
  Prices load(const std::string& rows) {
    write_file_atomic(file_, R"({"schema_version": 1, "collected": "2026-11-20",)"
                             R"( "unit": "USD per million tokens", "prices": [)" +
                                 rows + "]}");
    return Prices(file_);
  }
  std::string complaint(const std::string& rows) {
    try {
      load(rows);
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
  }
  TemporaryDirectory root_;
  std::filesystem::path file_ = root_.path() / "prices.json";
};

TEST(Prices, AddUpEveryKindOfToken) {
  Usage usage = tokens(10'000, 1'000);
  usage.cached_input = 4'000;
  usage.cache_written = 3'000;
  usage.cache_written_1h = 1'000;
  // claude-opus-5-5: 4 in, 20 out, 0.2 read, 5 written, 8 for an hour, per million.
  const auto cost = Prices().cost_of("claude-opus-5-5", usage, k_day);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->nano_usd,
            3'000 * 4'000 + 4'000 * 200 + 2'000 * 5'000 + 1'000 * 8'000 + 1'000 * 20'000);
  EXPECT_EQ(cost->source, "prices/anthropic.json of 2026-11-01");
}

TEST(Prices, AnUnknownModelCostsAnUnknownAmountNeverNothing) {
  const Prices prices;
  EXPECT_FALSE(prices.cost_of("some-local-model", tokens(1, 1), k_day));
  EXPECT_FALSE(prices.at_most("some-local-model", 1, 1, k_day));
  EXPECT_FALSE(prices.cost_of("gpt-5.5", {}, k_day)) << "tokens unknown";
  EXPECT_FALSE(prices.cost_of("gpt-5.5", {std::nullopt, 5}, k_day));
}

TEST(Prices, MatchDatedSnapshotsAndNothingElse) {
  const Prices prices;
  for (const char* name : {"claude-opus-5", "claude-opus-5-20260901", "claude-opus-5-2026-09-01"}) {
    EXPECT_EQ(prices.cost_of(name, tokens(1'000'000, 0), k_day)->nano_usd, 5'000'000'000) << name;
  }
  EXPECT_EQ(prices.cost_of("claude-opus-5-5", tokens(1'000'000, 0), k_day)->nano_usd,
            4'000'000'000);
  for (const char* name : {"claude-opus-5-fast", "claude-opus-50", "my-claude-opus-5", "*"}) {
    EXPECT_FALSE(prices.cost_of(name, tokens(1, 1), k_day)) << name;
  }
}

TEST(Prices, KnowTheirDays) {
  const Prices prices;
  const auto million = [&](const std::string& day) {
    return prices.cost_of("gpt-5.6-terra", tokens(200'000, 0), day)->nano_usd * 5;
  };
  EXPECT_EQ(million("2026-07-29"), 2'500'000'000);
  EXPECT_EQ(million("2026-07-30"), 2'000'000'000);
}

TEST(Prices, ALongPromptRepricesTheWholeRequest) {
  const Prices prices;
  EXPECT_EQ(prices.cost_of("gpt-6.2-sol", tokens(272'000, 1'000), k_day)->nano_usd,
            272'000LL * 2'000 + 1'000 * 10'000);
  EXPECT_EQ(prices.cost_of("gpt-6.2-sol", tokens(272'001, 1'000), k_day)->nano_usd,
            272'001LL * 4'000 + 1'000 * 15'000);
}

TEST(Prices, TakeWhatTheServerSays) {
  Usage usage = tokens(5, 5);
  usage.reported_usd = 0.0125;
  const auto cost = Prices().cost_of("vendor/anything", usage, k_day);
  EXPECT_EQ(cost->nano_usd, 12'500'000);
  EXPECT_EQ(cost->source, "the server");
}

TEST(Prices, TheMostIsNoLessThanAnyBill) {
  const Prices prices;
  Usage usage = tokens(10'000, 500);
  usage.cache_written = 10'000;
  EXPECT_GE(*prices.at_most("claude-opus-5-5", 10'000, 500, k_day),
            prices.cost_of("claude-opus-5-5", usage, k_day)->nano_usd);
}

TEST_F(OwnPrices, GoBeforeTheOnesThatShip) {
  const Prices prices = load(R"({"model": "gpt-5.5", "input": 1, "output": 2},)"
                             R"({"model": "*", "input": 0, "output": 0})");
  EXPECT_EQ(prices.cost_of("gpt-5.5", tokens(1'000'000, 0), k_day)->nano_usd, 1'000'000'000);
  EXPECT_THAT(prices.cost_of("gpt-5.5", tokens(1, 1), k_day)->source,
              testing::EndsWith("prices.json of 2026-11-20"));
  EXPECT_EQ(prices.cost_of("local", tokens(9, 9), k_day)->nano_usd, 0) << "said to cost nothing";
}

TEST_F(OwnPrices, WithoutACachePriceACachedTokenIsAFullOne) {
  Usage usage = tokens(1'000, 0);
  usage.cached_input = 1'000;
  EXPECT_EQ(load(R"({"model": "m", "input": 3, "output": 1})").cost_of("m", usage, k_day)->nano_usd,
            3'000'000);
}

TEST_F(OwnPrices, SayWhereTheyAreWrong) {
  EXPECT_THAT(complaint(R"({"model": "m", "input": 1})"), HasSubstr("\"output\" must be a number"));
  EXPECT_THAT(complaint(R"({"input": 1, "output": 1})"), HasSubstr("lacks \"model\""));
  EXPECT_THAT(complaint(R"({"model": "m", "input": -1, "output": 1})"), HasSubstr("0 to 1e6"));
  EXPECT_THAT(complaint(R"({"model": "m", "input": 1, "output": 1e300})"), HasSubstr("0 to 1e6"));
  EXPECT_THAT(complaint(R"({"model": "m", "input": 1, "output": 1, "from": "May"})"),
              HasSubstr("must be a day"));
  EXPECT_THAT(complaint(R"({"model": "m", "input": 1, "output": 1, "cache": 1})"),
              HasSubstr("unknown member \"cache\""));
  EXPECT_THAT(
      complaint(R"({"model": "m", "input": 1, "output": 1, "above": {"input": 1, "output": 1}})"),
      HasSubstr("\"input_tokens\" must be a whole number"));
  EXPECT_THAT(complaint("5"), StartsWith(file_.string() + ":1:"));
}

TEST(MoneyText, ShowsWhatMatters) {
  EXPECT_EQ(money_text(0), "0.00 USD");
  EXPECT_EQ(money_text(1), "0.0001 USD") << "never nothing";
  EXPECT_EQ(money_text(12'345'678), "0.0123 USD");
  EXPECT_EQ(money_text(4'930'000'000), "4.93 USD");
}

}  // namespace
}  // namespace kernelloop
