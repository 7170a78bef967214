// Reading with tools: how calls and results travel in each dialect, and what the caps do.
#include "propose/dialect.hpp"
#include "propose/reading_tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

HttpResponse answered_with(const std::string& body) { return {200, {}, body, ""}; }

std::string events(const std::vector<std::string>& datas) {
  std::string text;
  for (const std::string& data : datas) text += "data: " + data + "\n\n";
  return text;
}

const std::string k_anthropic_calls =
    R"({"type":"message","model":"m-1","stop_reason":"tool_use","content":[)"
    R"({"type":"thinking","thinking":"hm","signature":"s1"},{"type":"text","text":"Let me look."},)"
    R"({"type":"tool_use","id":"t1","name":"look","input":{"what":"mma"}},)"
    R"({"type":"tool_use","id":"t2","name":"look","input":{}}],"usage":{"input_tokens":5,"output_tokens":3}})";

const std::string k_anthropic_stream = events(
    {R"({"type":"message_start","message":{"model":"m-1","content":[],"usage":{"input_tokens":5,"output_tokens":1}}})",
     R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})",
     R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}})",
     R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1"}})",
     R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
     R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Let me look."}})",
     R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"look","input":{}}})",
     R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"what\":"}})",
     R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"mma\"}"}})",
     R"({"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t2","name":"look","input":{}}})",
     R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}})",
     R"({"type":"message_stop"})"});

const std::string k_responses_calls =
    R"({"status":"completed","model":"m-1","output":[)"
    R"({"type":"reasoning","id":"rs_1","encrypted_content":"e1","summary":[]},)"
    R"({"type":"message","id":"msg_1","content":[{"type":"output_text","text":"Let me look."}]},)"
    R"({"type":"function_call","id":"fc_1","call_id":"t1","name":"look","arguments":"{\"what\":\"mma\"}"},)"
    R"({"type":"function_call","id":"fc_2","call_id":"t2","name":"look","arguments":""}]})";

const std::string k_chat_calls =
    R"({"model":"m-1","choices":[{"finish_reason":"tool_calls","message":{"content":"Let me look.","tool_calls":[)"
    R"({"id":"t1","type":"function","function":{"name":"look","arguments":"{\"what\":\"mma\"}"},)"
    R"("extra_content":{"google":{"thought_signature":"s1"}}},)"
    R"({"id":"t2","type":"function","function":{"name":"look","arguments":{}}}]}}]})";

const std::string k_chat_stream = events(
    {R"({"model":"m-1","choices":[{"delta":{"role":"assistant","content":"Let me "}}]})",
     R"({"choices":[{"delta":{"content":"look."}}]})",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"look","arguments":""},)"
     R"("extra_content":{"google":{"thought_signature":"s1"}}}]}}]})",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"what\""}}]}}]})",
     R"({"choices":[{"delta":{"tool_calls":[{"function":{"arguments":":\"mma\"}"}}]}}]})",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t2","type":"function","function":{"name":"look","arguments":"{}"}}]}}]})",
     R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})", "[DONE]"});

struct WireCase {
  std::string dialect;
  std::string body;
};

std::vector<WireCase> calling_bodies() {
  return {
      {"anthropic", k_anthropic_calls},
      {"anthropic", k_anthropic_stream},
      {"openai", k_responses_calls},
      {"openai", events({R"({"type":"response.completed","response":)" + k_responses_calls + "}"})},
      {"openai-chat", k_chat_calls},
      {"openai-chat", k_chat_stream}};
}

TEST(ToolCalls, AreReadFromEveryDialect) {
  for (const auto& [dialect, body] : calling_bodies()) {
    const Reply reply = make_dialect(dialect)->reply(answered_with(body));
    ASSERT_TRUE(reply.answer) << dialect << reply.failure->message;
    EXPECT_EQ(reply.answer->stop_reason, "tools") << dialect << body;
    EXPECT_EQ(reply.answer->text, "Let me look.") << dialect;
    ASSERT_EQ(reply.answer->tool_calls.size(), 2u) << dialect << body;
    EXPECT_EQ(reply.answer->tool_calls[0].id, "t1");
    EXPECT_EQ(reply.answer->tool_calls[0].name, "look");
    EXPECT_EQ(reply.answer->tool_calls[0].input, Json({{"what", "mma"}}));
    EXPECT_EQ(reply.answer->tool_calls[1].id, "t2");
    EXPECT_EQ(reply.answer->tool_calls[1].input, Json::object());
  }
}

AskRequest next_request(const std::string& dialect, const std::string& body, bool echo) {
  const Answer answer = *make_dialect(dialect)->reply(answered_with(body)).answer;
  AskRequest ask;
  ask.model = "m-1";
  ask.system = "rules";
  ask.max_output_tokens = 10;
  Turn theirs{Turn::Role::assistant, answer.text, answer.tool_calls};
  if (echo) theirs.echo = {dialect, "m-1", answer.echo_items};
  ask.turns = {{Turn::Role::user, "write"},
               theirs,
               {Turn::Role::user,
                "",
                {},
                {{"t1", "look", "found", false}, {"t2", "look", "say what", true}}}};
  ask.tools = {{"look", "looks", {{"type", "object"}}}};
  return ask;
}

std::string sent(const std::string& dialect, const AskRequest& ask) {
  return make_dialect(dialect)
      ->request(ask, Endpoint{"https://x", "", "", "", "", "max_tokens"})
      .body;
}

TEST(ToolResults, GoBackBesideTheTurnAsItCame) {
  const std::string anthropic =
      sent("anthropic", next_request("anthropic", k_anthropic_stream, true));
  EXPECT_THAT(anthropic, HasSubstr(R"({"type":"thinking","thinking":"hm","signature":"s1"})"));
  EXPECT_THAT(anthropic,
              HasSubstr(R"({"type":"tool_use","id":"t1","name":"look","input":{"what":"mma"}})"));
  EXPECT_THAT(
      anthropic,
      HasSubstr(
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"found"},)"
          R"({"type":"tool_result","tool_use_id":"t2","content":"say what","is_error":true}]})"));
  EXPECT_THAT(
      anthropic,
      HasSubstr(
          R"("tools":[{"name":"look","description":"looks","input_schema":{"type":"object"}}])"));

  const std::string openai = sent("openai", next_request("openai", k_responses_calls, true));
  EXPECT_THAT(openai, HasSubstr(R"("id":"rs_1","encrypted_content":"e1")"));
  EXPECT_THAT(
      openai,
      HasSubstr(R"({"type":"function_call_output","call_id":"t1","output":"found"},)"
                R"({"type":"function_call_output","call_id":"t2","output":"Error: say what"}])"));
  EXPECT_THAT(openai, HasSubstr(R"("tools":[{"type":"function","name":"look",)"));

  const std::string chat = sent("openai-chat", next_request("openai-chat", k_chat_stream, true));
  EXPECT_THAT(chat, HasSubstr(R"("extra_content":{"google":{"thought_signature":"s1"}})"));
  EXPECT_THAT(chat, HasSubstr(R"({"role":"tool","tool_call_id":"t1","content":"found"})"));
  EXPECT_THAT(chat, HasSubstr(R"("tools":[{"type":"function","function":{"name":"look",)"));
}

TEST(ToolResults, GoToAnotherModelWithoutWhatIsBoundToTheFirst) {
  for (const auto& [dialect, body] : calling_bodies()) {
    AskRequest ask = next_request(dialect, body, true);
    ask.model = "m-2";
    const std::string text = sent(dialect, ask);
    EXPECT_THAT(text, HasSubstr("Let me look.")) << dialect;
    EXPECT_THAT(text, HasSubstr("mma")) << dialect;
    EXPECT_THAT(text, Not(HasSubstr("\"s1\""))) << dialect;
    EXPECT_THAT(text, Not(HasSubstr("\"e1\""))) << dialect;
  }
}

TEST(ToolResults, ReasoningWithoutItsContentIsNotSentBack) {
  std::string body = k_responses_calls;
  body.erase(body.find(R"("encrypted_content":"e1",)"),
             std::string(R"("encrypted_content":"e1",)").size());
  const std::string text = sent("openai", next_request("openai", body, true));
  EXPECT_THAT(text, Not(HasSubstr("rs_1")));
  EXPECT_THAT(text, Not(HasSubstr("msg_1")));
  EXPECT_THAT(text, HasSubstr(R"("call_id":"t1")"));
}

TEST(ToolCalls, HalfACallIsNeverRun) {
  const std::string cut =
      R"({"model":"m","choices":[{"finish_reason":"length","message":{"content":"x","tool_calls":[)"
      R"({"id":"t1","function":{"name":"look","arguments":"{\"wh"}}]}}]})";
  const Reply reply = make_openai_chat_dialect()->reply(answered_with(cut));
  EXPECT_EQ(reply.answer->stop_reason, "length");
  EXPECT_TRUE(reply.answer->tool_calls.empty());
}

TEST(ToolCalls, ArgumentsMayBeOdd) {
  EXPECT_EQ(call_with_arguments("", "", std::string_view("{\"a\":\"1\n2\"}")).input,
            Json({{"a", "1\n2"}}));
  EXPECT_EQ(call_with_arguments("", "", std::string_view(" ")).input, Json::object());
  EXPECT_THAT(call_with_arguments("", "", std::string_view("{\"a\":")).error,
              HasSubstr("no JSON object"));
  EXPECT_THAT(call_with_arguments("", "", std::string_view("[1]")).error,
              HasSubstr("no JSON object"));
  EXPECT_THAT(call_with_arguments("", "", Json(5)).error, HasSubstr("no JSON object"));
}

class ToolBoxTest : public testing::Test {
 protected:
  std::vector<ToolResult> answer(const std::vector<ToolCall>& calls, int round,
                                 std::size_t spent = 0) {
    return ToolBox({&look_}, {2, 300, 600},
                   [](const std::string& text) {
                     return text.find("hush") == std::string::npos ? "" : "the value of X_KEY";
                   })
        .answer(calls, round, spent);
  }
  static ToolCall call(const std::string& what) { return {"t1", "look", {{"what", what}}, ""}; }
  FakeTool look_;
};

TEST_F(ToolBoxTest, MarksWhatItReadsAsData) {
  const auto results = answer({call("wgmma")}, 1);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_FALSE(results[0].failed);
  EXPECT_EQ(results[0].call_id, "t1");
  EXPECT_EQ(results[0].text, marked_as_data("look", "about wgmma"));
  EXPECT_THAT(results[0].text, testing::StartsWith("<data from=\"look\" mark=\""));
  EXPECT_NE(marked_as_data("look", "a").substr(20), marked_as_data("look", "b").substr(20));
}

TEST_F(ToolBoxTest, EveryCallGetsAResultTheWrongOnesToo) {
  const auto results =
      answer({{"a", "write", {}, ""}, {"b", "look", nullptr, "no JSON"}, call("nothing")}, 1);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].text, "there is no tool 'write'; there are: look");
  EXPECT_EQ(results[1].text, "no JSON");
  EXPECT_EQ(results[2].text, "there is nothing about nothing");
  EXPECT_TRUE(
      std::all_of(results.begin(), results.end(), [](const auto& each) { return each.failed; }));
}

TEST_F(ToolBoxTest, CutsAndSaysSo) {
  const std::string text = answer({call(std::string(500, 'x'))}, 1)[0].text;
  EXPECT_THAT(text, HasSubstr("[206 more bytes are left out; ask for less]"));
  EXPECT_EQ(look_.calls, 1);
}

TEST_F(ToolBoxTest, EndsAfterItsRoundsAndBytes) {
  EXPECT_THAT(answer({call("a")}, 2)[0].text, HasSubstr("about a"));
  EXPECT_THAT(answer({call("a")}, 2)[0].text, HasSubstr("answer now"));
  look_.calls = 0;
  for (const auto& results :
       {answer({call("a"), call("b")}, 3), answer({call("a"), call("b")}, 1, 600)}) {
    for (const ToolResult& result : results) {
      EXPECT_TRUE(result.failed);
      EXPECT_THAT(result.text, HasSubstr("answer now"));
    }
  }
  EXPECT_EQ(look_.calls, 0);
}

TEST_F(ToolBoxTest, WithholdsSecrets) {
  const auto results = answer({call("hush")}, 1);
  EXPECT_EQ(results[0].text, "this text is withheld: it holds the value of X_KEY");
  EXPECT_TRUE(results[0].failed);
}

}  // namespace
}  // namespace kernelloop
