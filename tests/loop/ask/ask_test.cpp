// A version asked for over real sockets, by real couriers, from a server that misbehaves.
#include "support/error.hpp"
#include "support/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ask_fixture.hpp"
#include <signal.h>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

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

TEST_P(Ask, ReadsWithToolsAndRecordsIt) {
  StubReply reads = says("");
  reads.text = "Let me look.";
  reads.reads = "barriers";
  StubServer server(in_order({reads, says("good")}));
  std::map<std::string, std::string> variables = stub_variables(server.url());
  variables["ASK_STEP_WITH_TOOL"] = "1";
  ASSERT_EQ(build(variables), 0) << log();
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_THAT(server.requests()[0].body, HasSubstr("looks something up"));
  EXPECT_THAT(server.requests()[1].body, HasSubstr("about barriers"));
  const Json turns = read_json(version() / "conversation.json").value["turns"];
  EXPECT_EQ(turns[0]["reply"]["tool_calls"][0]["input"]["what"], "barriers");
  EXPECT_EQ(turns[1]["outcome"]["status"], "compiled");
}

INSTANTIATE_TEST_SUITE_P(Dialects, Ask, testing::Values("anthropic", "openai", "openai-chat"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace kernelloop
