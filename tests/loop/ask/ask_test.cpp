// A version asked for over real sockets, by real couriers, from a server that misbehaves.
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "child.hpp"
#include "cost/ledger.hpp"
#include "fakes.hpp"
#include "stub_server.hpp"
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

StubReply says(const std::string& body, StubReply::Kind kind = StubReply::Kind::stream) {
  StubReply reply;
  reply.kind = kind;
  reply.text = answer_text(body);
  return reply;
}

StubReply status(int code, const std::string& body = "{}", const std::string& headers = "") {
  StubReply reply;
  reply.kind = StubReply::Kind::status;
  reply.status = code;
  reply.body = body;
  reply.headers = headers;
  return reply;
}

StubServer::Script in_order(std::vector<StubReply> replies) {
  return [replies](const StubRequest&, int number) {
    return replies.at(std::min(static_cast<std::size_t>(number), replies.size()) - 1);
  };
}

class Ask : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::vector<std::string> step(const std::string& provider) const {
    return {ASK_STEP_PROGRAM, "propose", root_.path().string(), "scale", "1", "1", provider};
  }
  // Runs the step to its end.
  int build(const StubServer& server) { return build(stub_variables(server.url())); }
  int build(const std::map<std::string, std::string>& variables) {
    Child child(step(GetParam()), variables, log_.string());
    return child.wait();
  }
  [[nodiscard]] std::string log() const { return read_file(log_); }
  [[nodiscard]] fs::path version() const { return root_.path() / "generated/scale/v001"; }
  [[nodiscard]] fs::path pending() const { return root_.path() / "generated/scale/.pending/v001"; }
  [[nodiscard]] std::string source() const { return read_file(version() / "kernel.cu"); }

  TemporaryDirectory root_;
  fs::path log_ = root_.path() / "log";
};

TEST_P(Ask, GoesOnAfterACompileError) {
  StubServer server(in_order({says("broken"), says("good")}));
  ASSERT_EQ(build(server), 0) << log();
  EXPECT_EQ(source(), kernel_text("good"));
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_THAT(server.requests()[0].body, Not(HasSubstr("does not compile")));
  EXPECT_THAT(server.requests()[1].body, HasSubstr("does not compile"));
  const Json origin = read_json(version() / "origin.json").value;
  EXPECT_EQ(origin["provider"], GetParam());
  EXPECT_EQ(origin["model"], "stub-1");
  EXPECT_EQ(origin["tokens"]["input"], 200);
  EXPECT_EQ(origin["tokens"]["output"], 20);
  EXPECT_EQ(origin["requests"], 2);
  EXPECT_EQ(origin["cost_usd"], nullptr);
  EXPECT_FALSE(fs::exists(pending()));
  ASSERT_EQ(build(server), 0);
  EXPECT_EQ(server.requests().size(), 2u) << "a version that is there was asked for again";
}

TEST_P(Ask, StopsAtTheFixLimitWithTheLastSource) {
  StubServer server(in_order({says("broken")}));
  ASSERT_EQ(build(server), 0) << log();
  EXPECT_EQ(server.requests().size(), 4u);
  EXPECT_EQ(source(), kernel_text("broken"));
}

TEST_P(Ask, TakesPlainJson) {
  StubServer server(in_order({says("good", StubReply::Kind::json)}));
  ASSERT_EQ(build(server), 0) << log();
  EXPECT_EQ(source(), kernel_text("good"));
}

TEST_P(Ask, TriesAgainWhenThatHelps) {
  StubServer server(in_order({status(429, "{}", "retry-after: 0\r\n"),
                              says("good", StubReply::Kind::reset), says("good")}));
  ASSERT_EQ(build(server), 0) << log();
  EXPECT_EQ(server.requests().size(), 3u);
  EXPECT_EQ(read_json(version() / "origin.json").value["requests"], 3);
}

TEST_P(Ask, DoesNotTakeHalfAnAnswer) {
  StubServer server(
      in_order({says("good", StubReply::Kind::truncate), says("good", StubReply::Kind::drip)}));
  ASSERT_EQ(build(server), 0) << log();
  EXPECT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(source(), kernel_text("good"));
}

TEST_P(Ask, AWrongKeyIsSaidOnceAndLeavesARecord) {
  StubServer server(in_order({status(401, R"({"error":{"message":"bad key"}})"), says("good")}));
  EXPECT_EQ(build(server), static_cast<int>(ExitCode::provider));
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_THAT(log(), HasSubstr("bad key; check the key"));
  EXPECT_THAT(log(), Not(HasSubstr("test-value-of-no-worth")));
  EXPECT_FALSE(fs::exists(version()));
  EXPECT_TRUE(fs::exists(pending() / "turn001.failed-1.json"));
  ASSERT_EQ(build(server), 0) << log();
  EXPECT_EQ(source(), kernel_text("good"));
}

TEST_P(Ask, CarriesNoKeyToWhereItIsSent) {
  StubServer elsewhere(in_order({says("good")}));
  StubReply redirect;
  redirect.kind = StubReply::Kind::redirect;
  redirect.location = elsewhere.url() + "/v1/messages";
  StubServer server(in_order({redirect}));
  EXPECT_EQ(build(server), static_cast<int>(ExitCode::provider));
  EXPECT_THAT(log(), HasSubstr("redirects to " + elsewhere.url()));
  EXPECT_TRUE(elsewhere.requests().empty());
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_P(Ask, AKilledBuildLosesNoAnswer) {
  StubServer server(in_order({says("good", StubReply::Kind::drip)}));
  {
    Child child(step(GetParam()), stub_variables(server.url()), log_.string());
    ASSERT_TRUE(server.wait_for_requests(1));
    child.kill_group();
  }
  EXPECT_FALSE(fs::exists(version()));
  ASSERT_EQ(build(server), 0) << log();
  EXPECT_EQ(server.requests().size(), 1u) << "asked twice";
  EXPECT_EQ(source(), kernel_text("good"));
}

// The processes whose command line holds `text`.
std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> result;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stream(entry.path() / "cmdline", std::ios::binary);
    const std::string line((std::istreambuf_iterator<char>(stream)), {});
    if (line.find(text) != std::string::npos) result.push_back(std::stoi(name));
  }
  return result;
}

TEST_P(Ask, ADeadCourierIsRecordedAndSentAgain) {
  StubServer server(in_order({says("", StubReply::Kind::hang), says("good")}));
  Child child(step(GetParam()), stub_variables(server.url()), log_.string());
  ASSERT_TRUE(server.wait_for_requests(1));
  const std::vector<pid_t> couriers = processes_with((pending() / "turn001.request.json").string());
  ASSERT_EQ(couriers.size(), 1u);
  ::kill(couriers.front(), SIGKILL);
  ASSERT_TRUE(server.wait_for_requests(2));
  EXPECT_EQ(child.wait(), 0) << log();
  EXPECT_EQ(source(), kernel_text("good"));
}

TEST_P(Ask, AnAnswerThatOnlyTheCourierSawIsNotPaidForAgain) {
  // The journal of a courier that died between the response and the reply: the request is there,
  // its answer as it came over the wire too.
  {
    StubServer hanging(in_order({says("", StubReply::Kind::hang)}));
    Child child(step(GetParam()), stub_variables(hanging.url()), log_.string());
    ASSERT_TRUE(hanging.wait_for_requests(1));
    child.kill_group();
    for (const pid_t courier : processes_with((pending() / "turn001.request.json").string())) {
      ::kill(courier, SIGKILL);
    }
  }
  const std::string json =
      R"({"type":"message","status":"completed","model":"stub-1","stop_reason":"end_turn",)"
      R"("content":[{"type":"text","text":TEXT}],)"
      R"("output":[{"type":"message","content":[{"type":"output_text","text":TEXT}]}],)"
      R"("choices":[{"message":{"content":TEXT},"finish_reason":"stop"}]})";
  std::string body = json;
  const std::string quoted = Json(answer_text("paid for")).dump();
  for (std::size_t at = body.find("TEXT"); at != std::string::npos;
       at = body.find("TEXT", at + quoted.size())) {
    body.replace(at, 4, quoted);
  }
  write_file_atomic(pending() / "turn001.body-1.json", to_text({{"schema_version", 1},
                                                                {"provider", GetParam()},
                                                                {"status", 200},
                                                                {"error", ""},
                                                                {"body", body}}));
  StubServer silent(in_order({status(500)}));
  ASSERT_EQ(build(silent), 0) << log();
  EXPECT_TRUE(silent.requests().empty());
  EXPECT_EQ(source(), kernel_text("paid for"));
}

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

INSTANTIATE_TEST_SUITE_P(Dialects, Ask, testing::Values("anthropic", "openai", "openai-chat"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace kernelloop
