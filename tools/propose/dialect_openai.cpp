// OpenAI's Responses API.
#include "propose/dialect.hpp"
#include "propose/sse.hpp"
#include "propose/wire_errors.hpp"
#include "support/json_members.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

constexpr const char* k_openai = "openai";

Usage responses_usage(const Json& json) {
  Usage usage;
  const Json& input = member(json, "input_tokens_details");
  usage.input = token_count(json, "input_tokens");
  usage.output = token_count(json, "output_tokens");
  usage.cached_input = token_count(input, "cached_tokens");
  usage.cache_written = token_count(input, "cache_write_tokens");
  usage.reasoning = token_count(member(json, "output_tokens_details"), "reasoning_tokens");
  return usage;
}

bool is_unreadable_reasoning(const Json& item) {
  return text_member(item, "type") == "reasoning" && text_member(item, "encrypted_content").empty();
}

// The items of an answer as they may be sent back. Nothing is stored on the server: reasoning
// without its encrypted content is unknown there, and so are the names of the items around it.
Json items_to_echo(const Json& output) {
  const bool whole = std::none_of(output.begin(), output.end(), is_unreadable_reasoning);
  if (whole) return output;
  Json items = Json::array();
  for (const Json& item : output) {
    if (is_unreadable_reasoning(item)) continue;
    items.push_back(item);
    if (items.back().is_object()) items.back().erase("id");
  }
  return items;
}

void add_items(const Turn& turn, const std::string& model, Json& input) {
  if (turn.role == Turn::Role::user) {
    for (const ToolResult& result : turn.tool_results) {
      input.push_back({{"type", "function_call_output"},
                       {"call_id", result.call_id},
                       {"output", result.failed ? "Error: " + result.text : result.text}});
    }
    if (!turn.text.empty() || turn.tool_results.empty()) {
      input.push_back({{"role", "user"}, {"content", turn.text}});
    }
    return;
  }
  if (const Json& echo = echo_of(turn, k_openai, model); echo.is_array() && !echo.empty()) {
    for (const Json& item : echo) input.push_back(item);
    return;
  }
  if (!turn.text.empty() || turn.tool_calls.empty()) {
    input.push_back({{"role", "assistant"}, {"content", turn.text}});
  }
  for (const ToolCall& call : turn.tool_calls) {
    input.push_back({{"type", "function_call"},
                     {"call_id", call.id},
                     {"name", call.name},
                     {"arguments", call.input.is_object() ? call.input.dump() : "{}"}});
  }
}

Json responses_tools(const AskRequest& ask) {
  Json tools = Json::array();
  for (const ToolDeclaration& tool : ask.tools) {
    tools.push_back({{"type", "function"},
                     {"name", tool.name},
                     {"description", tool.description},
                     {"parameters", tool.input_schema},
                     {"strict", false}});
  }
  return tools;
}

void take_message(const Json& item, Answer& answer) {
  for (const Json& part : list_member(item, "content")) {
    if (text_member(part, "type") == "output_text") answer.text += text_member(part, "text");
    if (text_member(part, "type") == "refusal") {
      answer.text += text_member(part, "refusal");
      answer.stop_reason = "refusal";
    }
  }
}

class OpenAiDialect : public Dialect {
 public:
  [[nodiscard]] HttpRequest request(const AskRequest& ask,
                                    const Endpoint& endpoint) const override {
    Json input = Json::array();
    for (const Turn& turn : ask.turns) add_items(turn, ask.model, input);
    Json body = {{"model", ask.model},
                 {"max_output_tokens", ask.max_output_tokens},
                 {"store", false},
                 {"stream", true},
                 {"include", {"reasoning.encrypted_content"}},
                 {"instructions", ask.system},
                 {"input", input}};
    if (!ask.tools.empty()) body["tools"] = responses_tools(ask);
    return post_json(endpoint, "/responses", std::move(body), "authorization");
  }

 protected:
  [[nodiscard]] Reply from_json(const Json& body) const override {
    const std::string status = text_member(body, "status");
    const Usage usage = responses_usage(member(body, "usage"));
    if (status == "failed" || status == "cancelled") {
      Failure problem = failure_of_error(member(body, "error"), 0);
      problem.usage = usage;
      return Reply::of(std::move(problem));
    }
    const auto output = body.find("output");
    if (output == body.end() || !output->is_array()) {
      return Reply::of(failure(Failure::Kind::protocol, "the answer has no output"));
    }
    Answer answer;
    answer.stop_reason = "end";
    bool reasoned = false;
    for (const Json& item : *output) {
      const std::string type = text_member(item, "type");
      if (type == "message") take_message(item, answer);
      if (type == "function_call") {
        answer.tool_calls.push_back(call_with_arguments(
            text_member(item, "call_id"), text_member(item, "name"), member(item, "arguments")));
      }
      reasoned = reasoned || type == "reasoning";
    }
    if (status == "incomplete") {
      const std::string reason = text_member(member(body, "incomplete_details"), "reason");
      answer.stop_reason = reason == "content_filter" ? "refusal" : "length";
    }
    answer.usage = usage;
    answer.model = text_member(body, "model");
    answer.echo_items = items_to_echo(*output);
    return settled(std::move(answer), reasoned);
  }

  // The deltas only show that something is alive: the last event carries the whole answer. Some
  // servers leave the items out of it; then those that were finished on the way count.
  [[nodiscard]] Reply from_stream(std::string_view body) const override {
    Json done = Json::array();
    for (const SseEvent& event : parse_sse(body)) {
      const Json data = parse_leniently(event.data);
      const std::string type = text_member(data, "type");
      if (type == "error") return Reply::of(failure_of_error(data, 0));
      if (type == "response.output_item.done") done.push_back(member(data, "item"));
      const bool last = type == "response.completed" || type == "response.incomplete" ||
                        type == "response.failed";
      if (!last || !member(data, "response").is_object()) continue;
      Json response = data["response"];
      if (list_member(response, "output").empty() && !done.empty()) response["output"] = done;
      return from_json(response);
    }
    return Reply::of(
        failure(Failure::Kind::truncated, "the stream ended before response.completed", true));
  }
};

}  // namespace

std::unique_ptr<Dialect> make_openai_dialect() { return std::make_unique<OpenAiDialect>(); }

}  // namespace kernelloop
