// What is spent by a version that is asked for over real sockets, and what an interrupt leaves.
#include "support/error.hpp"
#include "support/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ask_fixture.hpp"
#include "cost/ledger.hpp"
#include <signal.h>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST_P(Ask, EveryRequestIsInTheLedgerAlsoThoseThatFailed) {
  StubServer server(in_order({status(500), says("good", StubReply::Kind::reset), says("good")}));
  ASSERT_EQ(build(server), 0) << log();
  const auto entries = Ledger(root_.path() / "generated").entries();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_FALSE(entries[0].charged);
  EXPECT_EQ(entries[1].outcome, "truncated");
  EXPECT_TRUE(entries[1].charged);
  EXPECT_EQ(entries[2].outcome, "answered");
  EXPECT_EQ(entries[2].usage.input, 100);
  EXPECT_FALSE(entries[2].nano_usd) << "the price of stub-1 is unknown";
}

TEST_P(Ask, ASpentBudgetStopsTheLoopAndNothingIsSent) {
  StubServer server(in_order({says("broken"), says("good")}));
  std::map<std::string, std::string> variables = stub_variables(server.url());
  variables["XDG_CONFIG_HOME"] = root_.path();
  const fs::path own = root_.path() / "kernelloop" / "config.json";
  write_file_atomic(own, R"({"budget": {"op": {"requests": 0}}})");
  ASSERT_EQ(build(variables), 0) << log();
  EXPECT_TRUE(server.requests().empty());
  const Json proposed = read_json(root_.path() / "build/scale/v001/proposed.json").value;
  EXPECT_EQ(proposed["status"], "stopped");
  EXPECT_EQ(proposed["reason"], "budget of scale spent: 0 of 0 requests");

  write_file_atomic(own, R"({"budget": {"op": {"usd": 1}}})");
  ASSERT_EQ(build(variables), 0) << log();
  EXPECT_TRUE(server.requests().empty());
  EXPECT_THAT(log(), HasSubstr("the price of stub-1 is unknown"));

  // In the middle of a version: what there is by then is the version.
  write_file_atomic(own, R"({"budget": {"run": {"requests": 1}}, "prices_file": "own.json"})");
  write_file_atomic(root_.path() / "kernelloop" / "own.json",
                    R"({"unit": "USD per million tokens", "prices":)"
                    R"( [{"model": "stub-1", "input": 1, "output": 10}]})");
  ASSERT_EQ(build(variables), 0) << log();
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(source(), kernel_text("broken"));
  const Json origin = read_json(version() / "origin.json").value;
  EXPECT_EQ(origin["cost_usd"], 0.0002);
  EXPECT_THAT(origin["note"].get<std::string>(), HasSubstr("budget of this run spent"));
}

TEST_P(Ask, CtrlCEndsTheWaitAndKeepsTheAnswer) {
  StubServer server(in_order({says("good", StubReply::Kind::drip)}));
  Child child(step(GetParam()), stub_variables(server.url()), log_.string());
  ASSERT_TRUE(server.wait_for_requests(1));
  child.interrupt_group();
  EXPECT_EQ(child.wait(), static_cast<int>(ExitCode::interrupted));
  EXPECT_THAT(log(), HasSubstr("interrupted; the answer that is on its way is kept"));
  ASSERT_EQ(build(server), 0) << log();
  EXPECT_EQ(server.requests().size(), 1u) << "asked twice";
}

TEST_P(Ask, ACourierThatIsToldToEndBooksWhatItSent) {
  StubServer server(in_order({says("", StubReply::Kind::hang), says("good")}));
  Child child(step(GetParam()), stub_variables(server.url()), log_.string());
  ASSERT_TRUE(server.wait_for_requests(1));
  for (const pid_t courier : processes_with((pending() / "turn001.request.json").string())) {
    ::kill(courier, SIGTERM);
  }
  EXPECT_EQ(child.wait(), static_cast<int>(ExitCode::provider)) << log();
  EXPECT_THAT(log(), HasSubstr("interrupted"));
  EXPECT_EQ(server.requests().size(), 1u) << "tried again although it was told to end";
  const auto entries = Ledger(root_.path() / "generated").entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_TRUE(entries[0].done);
  EXPECT_TRUE(entries[0].charged) << "nobody knows what the server did";
}

}  // namespace
}  // namespace kernelloop
