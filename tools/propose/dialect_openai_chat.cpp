// Chat Completions, as OpenAI and every compatible server speak it.
#include "propose/chat_stream.hpp"
#include "propose/dialect.hpp"
#include "propose/sse.hpp"
#include "propose/wire_errors.hpp"
#include "support/json_members.hpp"

namespace kernelloop {
namespace {

constexpr const char* k_chat = "openai-chat";

std::string chat_stop_reason(const std::string& reason) {
  if (reason == "stop" || reason == "eos") return "end";
  if (reason == "content_filter") return "refusal";
  return reason;
}

Usage chat_usage(const Json& json) {
  Usage usage;
  const Json& input = member(json, "prompt_tokens_details");
  usage.input = token_count(json, "prompt_tokens");
  usage.output = token_count(json, "completion_tokens");
  usage.cached_input = token_count(input, "cached_tokens");
  usage.cache_written = token_count(input, "cache_write_tokens");
  usage.reasoning = token_count(member(json, "completion_tokens_details"), "reasoning_tokens");
  usage.reported_usd = reported_cost(json, "cost");
  return usage;
}

// Servers disagree about the name.
std::string reasoning_of(const Json& message) {
  const std::string text = text_member(message, "reasoning_content");
  return text.empty() ? text_member(message, "reasoning") : text;
}

// The message as it came. Reasoning text goes back only beside tool calls, where servers want it;
// elsewhere some refuse it.
Json message_to_echo(Json message) {
  message["role"] = "assistant";
  if (list_member(message, "tool_calls").empty()) {
    message.erase("reasoning_content");
    message.erase("reasoning");
    message.erase("tool_calls");
  }
  for (const char* name : {"refusal", "audio", "annotations", "function_call"}) {
    if (member(message, name).is_null() || member(message, name).empty()) message.erase(name);
  }
  return message;
}

void add_messages(const Turn& turn, const std::string& model, Json& messages) {
  if (turn.role == Turn::Role::user) {
    for (const ToolResult& result : turn.tool_results) {
      messages.push_back({{"role", "tool"},
                          {"tool_call_id", result.call_id},
                          {"content", result.failed ? "Error: " + result.text : result.text}});
    }
    if (!turn.text.empty() || turn.tool_results.empty()) {
      messages.push_back({{"role", "user"}, {"content", turn.text}});
    }
    return;
  }
  if (const Json& echo = echo_of(turn, k_chat, model); echo.is_object()) {
    messages.push_back(echo);
    return;
  }
  Json message = {{"role", "assistant"}, {"content", turn.text}};
  for (const ToolCall& call : turn.tool_calls) {
    message["tool_calls"].push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function",
          {{"name", call.name},
           {"arguments", call.input.is_object() ? call.input.dump() : std::string("{}")}}}});
  }
  messages.push_back(std::move(message));
}

Json chat_tools(const AskRequest& ask) {
  Json tools = Json::array();
  for (const ToolDeclaration& tool : ask.tools) {
    tools.push_back({{"type", "function"},
                     {"function",
                      {{"name", tool.name},
                       {"description", tool.description},
                       {"parameters", tool.input_schema}}}});
  }
  return tools;
}

class OpenAiChatDialect : public Dialect {
 public:
  [[nodiscard]] HttpRequest request(const AskRequest& ask,
                                    const Endpoint& endpoint) const override {
    Json messages = Json::array({{{"role", "system"}, {"content", ask.system}}});
    for (const Turn& turn : ask.turns) add_messages(turn, ask.model, messages);
    Json body = {{"model", ask.model},
                 {endpoint.max_tokens_field, ask.max_output_tokens},
                 {"stream", true},
                 {"stream_options", {{"include_usage", true}}},
                 {"messages", messages}};
    if (!ask.tools.empty()) body["tools"] = chat_tools(ask);
    return post_json(endpoint, "/chat/completions", std::move(body), "authorization");
  }

 protected:
  [[nodiscard]] Reply from_json(const Json& body) const override {
    const Usage usage = chat_usage(member(body, "usage"));
    const Json& choices = list_member(body, "choices");
    if (choices.empty()) {
      if (!list_member(body, "prompt_filter_results").empty()) {  // Azure's content filter
        Answer filtered;
        filtered.stop_reason = "refusal";
        filtered.note = "the server's content filter left no answer";
        filtered.usage = usage;
        return Reply::of(std::move(filtered));
      }
      return Reply::of(failure(Failure::Kind::protocol, "the answer has no choices"));
    }
    const Json& message = member(choices.front(), "message");
    Answer answer;
    answer.text = chat_text(member(message, "content"));
    for (const Json& call : list_member(message, "tool_calls")) {
      const Json& function = member(call, "function");
      answer.tool_calls.push_back(call_with_arguments(
          text_member(call, "id"), text_member(function, "name"), member(function, "arguments")));
    }
    const std::string finish = text_member(choices.front(), "finish_reason");
    if (finish == "error") {
      Failure problem = failure(Failure::Kind::overloaded, "the server broke the answer off", true);
      problem.usage = usage;
      return Reply::of(std::move(problem));
    }
    answer.stop_reason = finish.empty() ? "end" : chat_stop_reason(finish);
    if (const std::string refusal = text_member(message, "refusal"); !refusal.empty()) {
      answer.text += refusal;
      answer.stop_reason = "refusal";
    }
    const std::string reasoning = reasoning_of(message);
    if (answer.text.empty() && answer.tool_calls.empty() && answer.stop_reason == "end" &&
        !reasoning.empty()) {
      answer.text = reasoning;
      answer.note = "the answer stood in the reasoning, the content was empty";
    }
    answer.usage = usage;
    answer.model = text_member(body, "model");
    if (message.is_object()) answer.echo_items = message_to_echo(message);
    return settled(std::move(answer), !reasoning.empty());
  }

  [[nodiscard]] Reply from_stream(std::string_view body) const override {
    ChatStream stream;
    for (const SseEvent& event : parse_sse(body)) {
      if (event.data == "[DONE]") {
        stream.end();
        break;
      }
      const Json data = parse_leniently(event.data);
      if (!data.is_object()) continue;
      if (!member(data, "error").is_null()) {
        Failure problem = failure_of_error(data, 0);
        problem.usage = chat_usage(member(stream.completion(), "usage"));
        return Reply::of(std::move(problem));
      }
      stream.take(data);
    }
    const Json completion = stream.completion();
    if (stream.is_whole()) return from_json(completion);
    Failure problem =
        failure(Failure::Kind::truncated, "the stream ended without a finish reason", true);
    problem.usage = chat_usage(member(completion, "usage"));
    return Reply::of(std::move(problem));
  }
};

}  // namespace

std::unique_ptr<Dialect> make_openai_chat_dialect() {
  return std::make_unique<OpenAiChatDialect>();
}

}  // namespace kernelloop
