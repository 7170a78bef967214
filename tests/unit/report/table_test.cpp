#include "report/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

History sample(const std::string& device) {
  History history;
  history.op = "softmax";
  history.round = 3;
  history.device_kind = device;
  history.device_name = device == "cpu" ? "A processor" : "A GPU";
  VersionRecord broken;
  broken.version = "v001";
  broken.outcome = Outcome::compile_failed;
  broken.failure = "line 3: expected a ;";
  VersionRecord slow;
  slow.version = "v002";
  slow.outcome = Outcome::verified;
  slow.time_us = 2000.0;
  slow.change = "one block a row";
  VersionRecord fast = slow;
  fast.version = "v003";
  fast.time_us = 500.0;
  fast.change = "µ vector loads";
  if (device == "cuda") slow.sol = 0.2;
  if (device == "cuda") fast.sol = 0.8;
  history.versions = {broken, slow, fast};
  history.decision = {Decision::Action::optimise, "v003", "make v003 faster"};
  return history;
}

TEST(Table, ShowsEveryVersionItsTimeAndWhyItStopped) {
  const std::string table = history_table(sample("cuda"), 3);
  EXPECT_THAT(table, testing::ContainsRegex("v001 +does not compile +-"));
  EXPECT_THAT(table, HasSubstr("line 3: expected a ;"));
  EXPECT_THAT(table, HasSubstr("2.00 ms, 20 % SOL"));
  EXPECT_THAT(table, HasSubstr("4.00×"));
  EXPECT_THAT(table, HasSubstr("best: v003 (500.0 µs, 80 % SOL)"));
  EXPECT_THAT(
      table,
      HasSubstr(
          "stopped: all 3 rounds are used; raise VERSIONS to go on (next: make v003 faster)"));
}

TEST(Table, ACpuTimeCannotBeTakenForAGpuTime) {
  const std::string table = history_table(sample("cpu"), 3);
  EXPECT_THAT(table, HasSubstr("500.0 µs wall, CPU device"));
  EXPECT_THAT(table, Not(HasSubstr("SOL")));
}

TEST(Table, ReasonsForEveryState) {
  History history = sample("cuda");
  EXPECT_THAT(stop_reason(history, 5), HasSubstr("not finished: round 3 of 5 is done"));
  EXPECT_THAT(history_table(history, 5), HasSubstr("\n  not finished: round 3 of 5 is done"));
  history.decision = {Decision::Action::stop, "", "plateau: 4 rounds"};
  EXPECT_EQ(stop_reason(history, 5), "plateau: 4 rounds");
}

TEST(Table, ALongTextIsCutBetweenCharacters) {
  History history = sample("cuda");
  history.versions[0].failure = "";
  for (int i = 0; i < 100; ++i) history.versions[0].failure += "µ";
  EXPECT_THAT(history_table(history, 3), HasSubstr("µµ…\n"));
}

}  // namespace
}  // namespace kernelloop
