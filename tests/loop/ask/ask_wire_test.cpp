// What a server and the proxies before it do to a stream.
#include "propose/dialect.hpp"
#include "support/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ask_fixture.hpp"
#include "stub_answer.hpp"

namespace kernelloop {
namespace {

TEST_P(Ask, UndoesCompression) {
  StubServer server(in_order({says("good", StubReply::Kind::gzip)}));
  ASSERT_EQ(build(server), 0) << log();
  EXPECT_EQ(source(), kernel_text("good"));
}

// A user may ask without a stream: then the answer is one JSON body, its tool calls too, and half
// of it is none.
TEST_P(Ask, GoesWithoutAStreamWhereTheUserWantsNone) {
  StubReply reads = says("", StubReply::Kind::gzip);
  reads.reads = "barriers";
  StubServer server(in_order({reads, says("good", StubReply::Kind::truncate), says("good")}));
  std::map<std::string, std::string> variables = stub_variables(server.url());
  variables["ASK_STEP_WITH_TOOL"] = "1";
  variables["XDG_CONFIG_HOME"] = root_.path();
  std::string member = GetParam();
  std::replace(member.begin(), member.end(), '-', '_');
  write_file_atomic(
      root_.path() / "kernelloop" / "config.json",
      to_text(
          {{member, {{"drop_params", {"stream_options"}}, {"extra_body", {{"stream", false}}}}}}));
  ASSERT_EQ(build(variables), 0) << log();
  EXPECT_EQ(source(), kernel_text("good"));
  ASSERT_EQ(server.requests().size(), 3u);
  for (const StubRequest& request : server.requests()) EXPECT_FALSE(wants_stream(request.body));
  EXPECT_THAT(server.requests()[1].body, testing::HasSubstr("about barriers"));
  const Json origin = read_json(version() / "origin.json").value;
  EXPECT_EQ(origin["tokens"]["input"], 200);
}

TEST_P(Ask, TakesAnErrorInTheMiddleOfAStreamForOne) {
  StubServer server([](const StubRequest& request, int number) {
    StubReply reply = says("good");
    if (number == 1) {
      reply.kind = StubReply::Kind::raw;
      const std::string stream = stream_body(request.path, reply.text);
      reply.body = stream.substr(0, stream.find("\n\n") + 2) + error_event(request.path);
    }
    return reply;
  });
  ASSERT_EQ(build(server), 0) << log();
  EXPECT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(source(), kernel_text("good"));
}

TEST_P(Ask, KeepAlivesAloneAreNoLife) {
  StubServer server(in_order({says("", StubReply::Kind::silence), says("good")}));
  std::map<std::string, std::string> variables = stub_variables(server.url());
  variables["XDG_CONFIG_HOME"] = root_.path();
  write_file_atomic(root_.path() / "kernelloop" / "config.json",
                    R"({"timeouts": {"silent_seconds": 1}})");
  ASSERT_EQ(build(variables), 0) << log();
  EXPECT_EQ(server.requests().size(), 2u);
}

// Every prefix of a stream: the whole answer or none, and then one worth asking for again.
TEST_P(Ask, NoCutOfAStreamIsTakenForAnAnswer) {
  const std::string path = GetParam() == "anthropic" ? "/v1/messages"
                           : GetParam() == "openai"  ? "/v1/responses"
                                                     : "/v1/chat/completions";
  const std::string text = answer_text("good");
  const auto dialect = make_dialect(GetParam());
  for (const char* reads : {"", "barriers"}) {
    const std::string stream = stream_body(path, text, reads);
    int whole = 0;
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      const Reply reply = dialect->reply({200, {}, stream.substr(0, cut), ""});
      if (reply.answer) {
        ++whole;
        EXPECT_EQ(reply.answer->text, text) << cut;
        EXPECT_EQ(reply.answer->tool_calls.size(), *reads == '\0' ? 0u : 1u) << cut;
      } else {
        EXPECT_EQ(reply.failure->kind, Failure::Kind::truncated) << cut;
        EXPECT_TRUE(reply.failure->retryable) << cut;
      }
    }
    EXPECT_GE(whole, 1);
    EXPECT_LT(whole, 300);
  }
}

}  // namespace
}  // namespace kernelloop
