#include "cost/ledger.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/cost_report.hpp"
#include "cost/run_id.hpp"

#include <fstream>
#include <thread>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

class LedgerTest : public testing::Test {
 protected:
  static LedgerEntry entry(const std::string& id, const std::string& op = "softmax") {
    LedgerEntry result;
    result.id = id;
    result.op = op;
    result.run = "ninja 1";
    result.provider = "openai";
    result.model = "m";
    result.most_tokens = 500;
    result.most_nano_usd = 9'000'000;
    return result;
  }
  std::string open(const LedgerEntry& entry) {
    return ledger_.open(entry, [](const auto&) { return std::string(); });
  }
  static LedgerOutcome answered() { return {"answered", {100, 20}, true, 1'000'000, "table"}; }
  [[nodiscard]] Spend all() const {
    return sum(ledger_.entries(), [](const auto&) { return true; });
  }

  TemporaryDirectory root_;
  Ledger ledger_{root_.path()};
};

TEST_F(LedgerTest, BooksWhatWasSentAndWhatCameOfIt) {
  EXPECT_TRUE(ledger_.entries().empty());
  open(entry("a"));
  EXPECT_EQ(all().tokens, 500) << "under way: at its most";
  EXPECT_EQ(all().nano_usd, 9'000'000);
  ledger_.close("a", answered());
  EXPECT_EQ(all().tokens, 120);
  EXPECT_EQ(all().nano_usd, 1'000'000);
  open(entry("b"));
  ledger_.close("b", {"rate_limit", {}, false, std::nullopt, ""});
  EXPECT_EQ(all().requests, 2);
  EXPECT_EQ(all().tokens, 120) << "a refusal owes nothing";
  open(entry("c"));
  ledger_.close("c", {"truncated", {80, std::nullopt}, true, std::nullopt, ""});
  EXPECT_EQ(all().tokens, 620) << "what a broken stream made is not known: at its most";
  EXPECT_EQ(all().nano_usd, 10'000'000) << "its cost unknown: at its most";
  LedgerEntry unpriced = entry("d");
  unpriced.most_nano_usd.reset();
  open(unpriced);
  EXPECT_EQ(all().unknown, 1);
}

TEST_F(LedgerTest, ALineCutShortByAKillLosesNothingElse) {
  open(entry("a"));
  ledger_.close("a", answered());
  open(entry("b"));
  const std::string whole = read_file(ledger_.path());
  for (std::size_t cut = whole.rfind("{\"event\""); cut <= whole.size(); cut += 9) {
    std::ofstream(ledger_.path(), std::ios::trunc) << whole.substr(0, cut);
    EXPECT_GE(ledger_.entries().size(), 1u) << cut;
    open(entry("c"));
    ledger_.close("c", answered());
    const auto entries = ledger_.entries();
    EXPECT_EQ(entries.front().id, "a") << cut;
    EXPECT_EQ(entries.back().id, "c") << cut;
    EXPECT_TRUE(entries.back().done) << cut;
  }
}

TEST_F(LedgerTest, PointsAtALineThatIsNone) {
  open(entry("a"));
  std::ofstream(ledger_.path(), std::ios::app) << "oops\n{\"event\":\"later\"}\n";
  try {
    FAIL() << ledger_.entries().size();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ledger.jsonl:2: not a line of the ledger"));
  }
}

TEST_F(LedgerTest, ManyProcessesShareOneBudget) {
  constexpr int k_allowed = 5;
  std::vector<std::thread> threads;
  for (int lane = 0; lane < 4; ++lane) {
    threads.emplace_back([&, lane] {
      Ledger own(root_.path());
      for (int i = 0; i < 3; ++i) {
        own.open(entry(fmt::format("{}-{}", lane, i)), [](const auto& entries) {
          return entries.size() < k_allowed ? std::string() : std::string("spent");
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ledger_.entries().size(), static_cast<std::size_t>(k_allowed));
}

// A budget must not be won back by numbers that are none.
TEST(Usage, SenselessCountsAndCostsAreUnknown) {
  for (const char* number :
       {"-1", "1e300", "-9223372036854775808", "18446744073709551615", "1e13"}) {
    const Json json = Json::parse(fmt::format(
        R"({{"input": {0}, "output": {0}, "cached_input": {0}, "reported_usd": {0}}})", number));
    const Usage usage = usage_from_json(json);
    EXPECT_FALSE(usage.input) << number;
    EXPECT_FALSE(usage.output) << number;
    EXPECT_FALSE(usage.cached_input) << number;
    EXPECT_FALSE(usage.reported_usd) << number;
  }
  EXPECT_EQ(usage_from_json({{"input", 7}}).input, 7);
}

TEST_F(LedgerTest, IsShownWithWhatIsUnknown) {
  EXPECT_EQ(cost_table({}, "softmax"), "nothing was asked for softmax yet\n");
  open(entry("a"));
  ledger_.close("a", answered());
  open(entry("b"));
  open(entry("c", "gemm"));
  ledger_.close("c", answered());
  const auto entries = ledger_.entries();
  const std::string table = cost_table(entries, "");
  EXPECT_THAT(table, HasSubstr("softmax  openai m         2       1         100           0        "
                               "  20  0.0010 USD + 1 unknown\n"));
  EXPECT_THAT(table, HasSubstr("total"));
  EXPECT_THAT(cost_table(entries, "gemm"), Not(HasSubstr("softmax")));
  const Json json = cost_json(entries, "softmax");
  EXPECT_EQ(json["rows"].size(), 1u);
  EXPECT_EQ(json["total"]["requests"], 2);
  EXPECT_EQ(json["total"]["usd"], 0.001);
  EXPECT_EQ(json["total"]["requests_of_unknown_cost"], 1);
}

TEST(RunId, IsTheSameWithinARun) {
  EXPECT_EQ(current_run(), current_run());
  EXPECT_THAT(current_run(), testing::ContainsRegex("[0-9]+ since [0-9]+"));
}

}  // namespace
}  // namespace kernelloop
