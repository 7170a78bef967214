#include "propose/dialect.hpp"

#include "support/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;

AskRequest ask_twice() {
  AskRequest ask;
  ask.op = "softmax";
  ask.version = 2;
  ask.system = "rules";
  ask.turns = {
      {Turn::Role::user, "write"}, {Turn::Role::assistant, "code"}, {Turn::Role::user, "mend"}};
  ask.model = "m-1";
  ask.max_output_tokens = 1000;
  return ask;
}

Endpoint endpoint(const std::string& url) {
  Endpoint result;
  result.base_url = url;
  result.key = "k";
  return result;
}

std::string headers_of(const HttpRequest& request) {
  std::string text;
  for (const auto& [name, value] : request.headers) text += name + ": " + value + "\n";
  return text;
}

HttpResponse ok(const std::string& body) { return {200, {}, body, ""}; }

TEST(AnthropicRequest, IsTheDocumentedOne) {
  const HttpRequest request =
      make_anthropic_dialect()->request(ask_twice(), endpoint("https://a.example/"));
  EXPECT_EQ(request.url, "https://a.example/v1/messages");
  EXPECT_EQ(
      request.body,
      R"({"model":"m-1","max_tokens":1000,"stream":true,"system":[{"type":"text","text":"rules",)"
      R"("cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"write"},)"
      R"({"role":"assistant","content":"code"},{"role":"user","content":"mend"}]})");
  EXPECT_EQ(headers_of(request),
            "content-type: application/json\nanthropic-version: 2023-06-01\n"
            "accept: text/event-stream, application/json\nx-api-key: k\n");
  EXPECT_TRUE(request.carries_key);
}

TEST(OpenAiRequest, IsTheDocumentedOne) {
  const HttpRequest request =
      make_openai_dialect()->request(ask_twice(), endpoint("https://o.example/v1"));
  EXPECT_EQ(request.url, "https://o.example/v1/responses");
  EXPECT_EQ(
      request.body,
      R"({"model":"m-1","max_output_tokens":1000,"store":false,"stream":true,"include":["reasoning.encrypted_content"],)"
      R"("instructions":"rules",)"
      R"("input":[{"role":"user","content":"write"},{"role":"assistant","content":"code"},)"
      R"({"role":"user","content":"mend"}]})");
  EXPECT_THAT(headers_of(request), HasSubstr("authorization: Bearer k\n"));
}

TEST(OpenAiChatRequest, IsTheDocumentedOne) {
  Endpoint local = endpoint("http://localhost:8080/v1");
  local.key.clear();
  const HttpRequest request = make_openai_chat_dialect()->request(ask_twice(), local);
  EXPECT_EQ(request.url, "http://localhost:8080/v1/chat/completions");
  EXPECT_EQ(
      request.body,
      R"({"model":"m-1","max_tokens":1000,"stream":true,"stream_options":{"include_usage":true},)"
      R"("messages":[{"role":"system","content":"rules"},{"role":"user","content":"write"},)"
      R"({"role":"assistant","content":"code"},{"role":"user","content":"mend"}]})");
  EXPECT_FALSE(request.carries_key);
  EXPECT_THAT(headers_of(request), testing::Not(HasSubstr("authorization")));
}

TEST(DialectRequests, TakeBytesThatAreNoText) {
  AskRequest ask = ask_twice();
  ask.turns.back().text = "bad \xFF byte";
  for (const char* name : {"anthropic", "openai", "openai-chat"}) {
    EXPECT_FALSE(
        parse_leniently(make_dialect(name)->request(ask, endpoint("https://x")).body).is_null());
  }
}

TEST(Anthropic, ReadsJsonAndStreamAlike) {
  const auto dialect = make_anthropic_dialect();
  const Reply plain = dialect->reply(ok(
      R"({"type":"message","model":"m-1","stop_reason":"end_turn","content":[{"type":"thinking","thinking":"h"},)"
      R"({"type":"text","text":"one "},{"type":"text","text":"two"}],)"
      R"("usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":3}})"));
  const Reply stream = dialect->reply(
      ok("event: message_start\ndata: "
         "{\"type\":\"message_start\",\"message\":{\"model\":\"m-1\",\"usage\":"
         "{\"input_tokens\":5,\"cache_read_input_tokens\":7,\"output_tokens\":1}}}\n\n"
         "event: ping\ndata: {\"type\":\"ping\"}\n\n"
         "data: "
         "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
         "\"text\":\"\"}}\n\n"
         "data: "
         "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
         "\"text\":\"one \"}}\n\n"
         "data: "
         "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
         "\"text\":\"two\"}}\n\n"
         "data: "
         "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_"
         "tokens\":3}}\n\n"
         "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
  for (const Reply& reply : {plain, stream}) {
    ASSERT_TRUE(reply.answer) << reply.failure->message;
    EXPECT_EQ(reply.answer->text, "one two");
    EXPECT_EQ(reply.answer->stop_reason, "end");
    EXPECT_EQ(reply.answer->model, "m-1");
    EXPECT_EQ(reply.answer->usage.input, 12);
    EXPECT_EQ(reply.answer->usage.cached_input, 7);
    EXPECT_EQ(reply.answer->usage.output, 3);
  }
}

TEST(OpenAi, ReadsJsonAndStreamAlike) {
  const std::string response =
      R"({"status":"completed","model":"m-1","output":[{"type":"reasoning"},{"type":"message","content":)"
      R"([{"type":"output_text","text":"one "},{"type":"output_text","text":"two"}]}],)"
      R"("usage":{"input_tokens":12,"input_tokens_details":{"cached_tokens":7},"output_tokens":3}})";
  const auto dialect = make_openai_dialect();
  for (const std::string& body :
       {response,
        "data: {\"type\":\"response.output_text.delta\",\"delta\":\"o\"}\n\n"
        "data: {\"type\":\"response.completed\",\"response\":" +
            response + "}\n\n"}) {
    const Reply reply = dialect->reply(ok(body));
    ASSERT_TRUE(reply.answer) << reply.failure->message;
    EXPECT_EQ(reply.answer->text, "one two");
    EXPECT_EQ(reply.answer->stop_reason, "end");
    EXPECT_EQ(reply.answer->usage.input, 12);
    EXPECT_EQ(reply.answer->usage.cached_input, 7);
  }
  const Reply cut = dialect->reply(ok(
      R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]})"));
  EXPECT_EQ(cut.answer->stop_reason, "length");
  const Reply refused = dialect->reply(ok(
      R"({"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]})"));
  EXPECT_EQ(refused.answer->stop_reason, "refusal");
}

TEST(OpenAiChat, ReadsJsonAndStreamAlike) {
  const auto dialect = make_openai_chat_dialect();
  for (
      const std::string& body :
      {std::string(
           R"({"model":"m-1","choices":[{"message":{"content":"one two"},"finish_reason":"stop"}],)"
           R"("usage":{"prompt_tokens":12,"completion_tokens":3}})"),
       std::string(
           "data: "
           "{\"model\":\"m-1\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}"
           "\n\n"
           ": keep-alive\n\n"
           "data: {\"choices\":[{\"delta\":{\"content\":\"one \"}}]}\n\n"
           "data: {\"choices\":[{\"delta\":{\"content\":\"two\"},\"finish_reason\":\"stop\"}]}\n\n"
           "data: "
           "{\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3}}\n\n")}) {
    for (const char* end : {"", "data: [DONE]\n\n"}) {
      const Reply reply = dialect->reply(ok(body.front() == '{' ? body : body + end));
      ASSERT_TRUE(reply.answer) << reply.failure->message;
      EXPECT_EQ(reply.answer->text, "one two");
      EXPECT_EQ(reply.answer->stop_reason, "end");
      EXPECT_EQ(reply.answer->usage.input, 12);
      EXPECT_EQ(reply.answer->usage.output, 3);
    }
  }
}

TEST(OpenAiChat, ReadsContentInParts) {
  const auto dialect = make_openai_chat_dialect();
  const std::string parts =
      R"([{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"one "}])";
  const std::string plain =
      R"({"choices":[{"message":{"content":)" + parts + R"(},"finish_reason":"stop"}]})";
  EXPECT_EQ(dialect->reply(ok(plain)).answer->text, "one ");
  const std::string stream =
      R"(data: {"choices":[{"delta":{"content":)" + parts +
      R"(}}]})"
      "\n\n"
      R"(data: {"choices":[{"delta":{"content":"two"},"finish_reason":"stop"}]})"
      "\n\n"
      R"(data: {"choices":[{"delta":{"content":[{"type":"text","text":"."}]}}]})"
      "\n\n";
  EXPECT_EQ(dialect->reply(ok(stream)).answer->text, "one two.");
}

TEST(Dialects, CallAStreamWithoutItsEndTruncated) {
  const std::vector<std::pair<std::string, std::string>> streams{
      {"anthropic",
       "data: "
       "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n"},
      {"openai", "data: {\"type\":\"response.output_text.delta\",\"delta\":\"x\"}\n\n"},
      {"openai-chat", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"}};
  for (const auto& [name, body] : streams) {
    const Reply reply = make_dialect(name)->reply(ok(body));
    ASSERT_TRUE(reply.failure) << name;
    EXPECT_EQ(reply.failure->kind, Failure::Kind::truncated) << name;
    EXPECT_TRUE(reply.failure->retryable) << name;
  }
  HttpResponse cut = ok("{\"choices\":[{\"mess");
  cut.error = "transfer closed";
  EXPECT_EQ(make_dialect("openai-chat")->reply(cut).failure->kind, Failure::Kind::truncated);
}

// message_start counts the first token; what came after it is counted by message_delta only.
TEST(Anthropic, ABrokenStreamDoesNotSayWhatItMade) {
  const std::string begin =
      "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,"
      "\"output_tokens\":1}}}\n\n";
  const Reply early = make_anthropic_dialect()->reply(ok(begin));
  ASSERT_TRUE(early.failure);
  EXPECT_EQ(early.failure->usage.input, 5);
  EXPECT_EQ(early.failure->usage.output, std::nullopt);
  const Reply late = make_anthropic_dialect()->reply(
      ok(begin + "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":900}}\n\n"));
  ASSERT_TRUE(late.failure);
  EXPECT_EQ(late.failure->usage.output, 900);
}

struct ErrorCase {
  int status;
  std::string body;
  Failure::Kind kind;
  bool retryable;
};

TEST(Dialects, ClassifyErrorsOfEveryShape) {
  using Kind = Failure::Kind;
  const std::vector<ErrorCase> cases{
      {400,
       R"({"type":"error","error":{"type":"invalid_request_error","message":"no such field"}})",
       Kind::bad_request, false},
      {400, R"({"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}})",
       Kind::context_overflow, false},
      {400, R"({"error":{"code":400,"type":"exceed_context_size_error","message":"x"}})",
       Kind::context_overflow, false},
      {400, R"({"error":{"message":"Your credit balance is too low"}})", Kind::quota, false},
      {401, R"({"error":{"message":"bad key","code":"invalid_api_key"}})", Kind::authentication,
       false},
      {403, "<html>forbidden</html>", Kind::authentication, false},
      {404, R"({"detail":"Not Found"})", Kind::bad_request, false},
      {408, "", Kind::overloaded, true},
      {409, "", Kind::overloaded, true},
      {429, R"({"error":{"type":"rate_limit_error","message":"slow down"}})", Kind::rate_limit,
       true},
      {429, R"({"error":{"code":"insufficient_quota","message":"pay"}})", Kind::quota, false},
      {500, "", Kind::overloaded, true},
      {529, R"({"error":{"type":"overloaded_error","message":"busy"}})", Kind::overloaded, true},
      {400, R"([{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}])",
       Kind::bad_request, false},
      {200, R"({"error":{"code":429,"message":"busy upstream"}})", Kind::rate_limit, true},
      {200, R"({"object":"error","message":"flat","type":"BadRequest","code":400})",
       Kind::bad_request, false},
      {200, R"({"choices":[]})", Kind::protocol, false},
      {200, R"({"choices":null})", Kind::protocol, false},
      {200, "hello", Kind::protocol, false},
      {200, "", Kind::truncated, true},
      {200, R"({"choices":[{"mess)", Kind::truncated, true},
      {200, "dat", Kind::truncated, true},
      {302, "", Kind::redirect, false}};
  for (const ErrorCase& each : cases) {
    const Reply reply = make_openai_chat_dialect()->reply({each.status, {}, each.body, ""});
    ASSERT_TRUE(reply.failure) << each.status << each.body;
    EXPECT_STREQ(name_of(reply.failure->kind), name_of(each.kind)) << each.status << each.body;
    EXPECT_EQ(reply.failure->retryable, each.retryable) << each.status << each.body;
    EXPECT_FALSE(reply.failure->message.empty());
    EXPECT_EQ(reply.failure->message.find('\n'), std::string::npos);
  }
}

TEST(Dialects, ReadErrorsInsideAStream) {
  const Reply anthropic = make_anthropic_dialect()->reply(
      ok("event: error\ndata: "
         "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"b\"}}\n\n"));
  EXPECT_EQ(anthropic.failure->kind, Failure::Kind::overloaded);
  EXPECT_TRUE(anthropic.failure->retryable);
  const Reply chat = make_openai_chat_dialect()->reply(
      ok("data: {\"error\":{\"message\":\"rate_limit hit\",\"code\":429}}\n\n"));
  EXPECT_EQ(chat.failure->kind, Failure::Kind::rate_limit);
}

TEST(Dialects, ReadHowLongToWait) {
  const auto wait = [](const std::string& name, const std::string& value) {
    const Reply reply = make_openai_dialect()->reply({429, {{name, value}}, "", ""});
    return reply.failure->retry_after ? reply.failure->retry_after->count() : -1;
  };
  EXPECT_EQ(wait("retry-after", "2"), 2000);
  EXPECT_EQ(wait("retry-after", "0.25"), 250);
  EXPECT_EQ(wait("retry-after-ms", "30"), 30);
  EXPECT_EQ(wait("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), 0);
  EXPECT_EQ(wait("retry-after", "soon"), -1);
  EXPECT_EQ(wait("retry-after", "-5"), -1);
}

TEST(Dialects, SurviveAnyCutAndAnyJson) {
  const std::vector<std::string> bodies{
      R"([])",
      R"({})",
      R"({"error":null})",
      R"({"error":"text"})",
      R"({"content":5})",
      R"({"choices":[5]})",
      R"({"choices":[{"message":5}]})",
      R"({"output":[5,{"type":"message","content":5}]})",
      "data: 5\n\n",
      "data: {\"type\":\"message_start\",\"message\":5}\n\n",
      "data: {\"type\":\"response.completed\",\"response\":5}\n\n",
      "data: {\"choices\":[{\"delta\":5}]}\n\n",
      R"({"content":[],"usage":5})",
      R"({"output":[],"usage":{"input_tokens":"x"}})"};
  for (const char* name : {"anthropic", "openai", "openai-chat"}) {
    for (const std::string& body : bodies) {
      const Reply reply = make_dialect(name)->reply(ok(body));
      EXPECT_NE(reply.answer.has_value(), reply.failure.has_value()) << name << body;
    }
  }
}

}  // namespace
}  // namespace kernelloop
