// Anthropic's Messages API.
#include "propose/dialect.hpp"
#include "propose/sse.hpp"
#include "propose/wire_errors.hpp"
#include "support/json_members.hpp"

#include <map>

namespace kernelloop {
namespace {

constexpr const char* k_anthropic = "anthropic";

std::string messages_stop_reason(const std::string& reason) {
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return "length";
  if (reason == "end_turn" || reason == "stop_sequence") return "end";
  return reason;
}

// `input_tokens` leaves out what a cache gave or took.
Usage messages_usage(const Json& json) {
  Usage usage;
  const auto input = token_count(json, "input_tokens");
  usage.cached_input = token_count(json, "cache_read_input_tokens");
  usage.cache_written = token_count(json, "cache_creation_input_tokens");
  usage.cache_written_1h = token_count(member(json, "cache_creation"), "ephemeral_1h_input_tokens");
  if (input)
    usage.input = *input + usage.cached_input.value_or(0) + usage.cache_written.value_or(0);
  usage.output = token_count(json, "output_tokens");
  usage.reasoning = token_count(member(json, "output_tokens_details"), "thinking_tokens");
  return usage;
}

Json message_of(const Turn& turn, const std::string& model) {
  if (turn.role == Turn::Role::assistant) {
    if (const Json& echo = echo_of(turn, k_anthropic, model); echo.is_array() && !echo.empty()) {
      return {{"role", "assistant"}, {"content", echo}};
    }
    if (turn.tool_calls.empty()) return {{"role", "assistant"}, {"content", turn.text}};
    Json content = Json::array();
    if (!turn.text.empty()) content.push_back({{"type", "text"}, {"text", turn.text}});
    for (const ToolCall& call : turn.tool_calls) {
      content.push_back({{"type", "tool_use"},
                         {"id", call.id},
                         {"name", call.name},
                         {"input", call.input.is_object() ? call.input : Json::object()}});
    }
    return {{"role", "assistant"}, {"content", content}};
  }
  if (turn.tool_results.empty()) return {{"role", "user"}, {"content", turn.text}};
  Json content = Json::array();
  for (const ToolResult& result : turn.tool_results) {
    Json block = {
        {"type", "tool_result"}, {"tool_use_id", result.call_id}, {"content", result.text}};
    if (result.failed) block["is_error"] = true;
    content.push_back(std::move(block));
  }
  if (!turn.text.empty()) content.push_back({{"type", "text"}, {"text", turn.text}});
  return {{"role", "user"}, {"content", content}};
}

// Puts the events of a stream together to the message that a plain answer would have been.
class MessageBuilder {
 public:
  void take(const Json& data, const std::string& type) {
    if (type == "message_start") {
      merge(member(data, "message"));
    } else if (type == "content_block_start") {
      Block& block = blocks_[index_of(data)];
      block.content = member(data, "content_block");
    } else if (type == "content_block_delta") {
      take_delta(blocks_[index_of(data)], member(data, "delta"));
    } else if (type == "message_delta") {
      merge(member(data, "delta"));
      merge_usage(member(data, "usage"));
      counted_ = true;
    } else if (type == "message_stop") {
      finished_ = true;
    }
  }

  [[nodiscard]] bool finished() const {
    return finished_ && !text_member(message_, "stop_reason").empty();
  }

  // Of a stream that broke off. The output that message_start counts is that of its first token: no
  // count of what was made after it, so none at all.
  [[nodiscard]] Usage usage_so_far() const {
    Usage usage = messages_usage(member(message_, "usage"));
    if (!counted_) usage.output.reset();
    return usage;
  }

  [[nodiscard]] Json message() const {
    Json result = message_;
    result["content"] = Json::array();
    for (const auto& [index, block] : blocks_) {
      if (!block.content.is_object()) continue;
      Json content = block.content;
      if (text_member(content, "type") == "tool_use") {
        const ToolCall call = call_with_arguments("", "", std::string_view(block.arguments));
        if (!block.arguments.empty()) {
          content["input"] = call.error.empty() ? call.input : Json(block.arguments);
        }
      }
      result["content"].push_back(std::move(content));
    }
    return result;
  }

 private:
  struct Block {
    Json content;
    std::string arguments;
  };

  static std::int64_t index_of(const Json& data) { return count_member(data, "index").value_or(0); }

  static void append(Json& object, const char* name, const std::string& text) {
    object[name] = text_member(object, name) + text;
  }

  static void take_delta(Block& block, const Json& delta) {
    if (!block.content.is_object()) block.content = {{"type", "text"}, {"text", ""}};
    const std::string type = text_member(delta, "type");
    if (type == "text_delta") append(block.content, "text", text_member(delta, "text"));
    if (type == "thinking_delta") append(block.content, "thinking", text_member(delta, "thinking"));
    if (type == "signature_delta") {
      append(block.content, "signature", text_member(delta, "signature"));
    }
    if (type == "input_json_delta") block.arguments += text_member(delta, "partial_json");
  }

  void merge(const Json& part) {
    if (!part.is_object()) return;
    for (const auto& [name, value] : part.items()) {
      if (name == "usage") {
        merge_usage(value);
      } else if (name != "content" && !value.is_null()) {
        message_[name] = value;
      }
    }
  }

  // Counts are cumulative: a later number replaces an earlier one.
  void merge_usage(const Json& usage) {
    if (!usage.is_object()) return;
    for (const auto& [name, value] : usage.items()) {
      if (!value.is_null()) message_["usage"][name] = value;
    }
  }

  Json message_ = Json::object();
  std::map<std::int64_t, Block> blocks_;
  bool counted_ = false;  // the output was counted after it was made
  bool finished_ = false;
};

class AnthropicDialect : public Dialect {
 public:
  [[nodiscard]] HttpRequest request(const AskRequest& ask,
                                    const Endpoint& endpoint) const override {
    Json messages = Json::array();
    for (const Turn& turn : ask.turns) messages.push_back(message_of(turn, ask.model));
    // The system text is the same for every version of every op: the prefix worth caching.
    const Json system = Json::array(
        {{{"type", "text"}, {"text", ask.system}, {"cache_control", {{"type", "ephemeral"}}}}});
    Json body = {{"model", ask.model},
                 {"max_tokens", ask.max_output_tokens},
                 {"stream", true},
                 {"system", system},
                 {"messages", messages}};
    if (!ask.tools.empty()) body["tools"] = to_json(ask.tools);  // our form is theirs
    HttpRequest result = post_json(endpoint, "/v1/messages", std::move(body), "x-api-key");
    result.headers.emplace(result.headers.begin() + 1, "anthropic-version", "2023-06-01");
    return result;
  }

 protected:
  [[nodiscard]] Reply from_json(const Json& body) const override {
    const auto content = body.find("content");
    if (content == body.end() || !content->is_array()) {
      return Reply::of(failure(Failure::Kind::protocol, "the answer has no content"));
    }
    Answer answer;
    bool thought = false;
    for (const Json& block : *content) {
      const std::string type = text_member(block, "type");
      if (type == "text") answer.text += text_member(block, "text");
      if (type == "tool_use") {
        answer.tool_calls.push_back(call_with_arguments(
            text_member(block, "id"), text_member(block, "name"), member(block, "input")));
      }
      thought = thought || type == "thinking" || type == "redacted_thinking";
    }
    answer.usage = messages_usage(member(body, "usage"));
    answer.stop_reason = messages_stop_reason(text_member(body, "stop_reason"));
    answer.model = text_member(body, "model");
    answer.echo_items = *content;
    for (Json& block : answer.echo_items) {  // arguments that were no JSON cannot be sent back
      if (block.is_object() && block.contains("input") && !block["input"].is_object()) {
        block["input"] = Json::object();
      }
    }
    if (answer.stop_reason == "refusal") {
      const Json& details = member(body, "stop_details");
      answer.note = text_member(details, "category") + " " + text_member(details, "explanation");
    }
    return settled(std::move(answer), thought);
  }

  [[nodiscard]] Reply from_stream(std::string_view body) const override {
    MessageBuilder builder;
    for (const SseEvent& event : parse_sse(body)) {
      const Json data = parse_leniently(event.data);
      const std::string type = text_member(data, "type");
      if (type == "error") {
        Failure problem = failure_of_error(data, 0);
        problem.usage = builder.usage_so_far();
        return Reply::of(std::move(problem));
      }
      builder.take(data, type);
    }
    if (builder.finished()) return from_json(builder.message());
    Failure problem =
        failure(Failure::Kind::truncated, "the stream ended before message_stop", true);
    problem.usage = builder.usage_so_far();
    return Reply::of(std::move(problem));
  }
};

}  // namespace

std::unique_ptr<Dialect> make_anthropic_dialect() { return std::make_unique<AnthropicDialect>(); }

}  // namespace kernelloop
