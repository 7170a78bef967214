// Anthropic's Messages API.
#include "propose/dialect.hpp"
#include "propose/sse.hpp"

namespace kernelloop {
namespace {

std::string messages_stop_reason(const std::string& reason) {
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return "length";
  if (reason == "end_turn" || reason == "stop_sequence") return "end";
  return reason;
}

// Counts are cumulative in a stream: later numbers replace earlier ones.
struct Counts {
  std::int64_t input = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_written = 0;
  std::int64_t output = 0;
  bool seen = false;

  void update(const Json& usage) {
    if (!usage.is_object()) return;
    seen = true;
    take(usage, "input_tokens", input);
    take(usage, "cache_read_input_tokens", cache_read);
    take(usage, "cache_creation_input_tokens", cache_written);
    take(usage, "output_tokens", output);
  }
  static void take(const Json& usage, const char* name, std::int64_t& value) {
    if (const auto found = usage.find(name); found != usage.end() && found->is_number()) {
      value = found->get<std::int64_t>();
    }
  }
  [[nodiscard]] Usage usage() const {
    if (!seen) return {};
    return {input + cache_read + cache_written, output, cache_read};
  }
};

class AnthropicDialect : public Dialect {
 public:
  [[nodiscard]] HttpRequest request(const AskRequest& ask,
                                    const Endpoint& endpoint) const override {
    Json messages = Json::array();
    for (std::size_t i = 0; i < ask.turns.size(); ++i) {
      const Turn& turn = ask.turns[i];
      messages.push_back(
          {{"role", turn.role == Turn::Role::user ? "user" : "assistant"}, {"content", turn.text}});
    }
    // The system text is the same for every version of every op: the prefix worth caching.
    const Json system = Json::array(
        {{{"type", "text"}, {"text", ask.system}, {"cache_control", {{"type", "ephemeral"}}}}});
    const Json body = {{"model", ask.model},
                       {"max_tokens", ask.max_output_tokens},
                       {"stream", true},
                       {"system", system},
                       {"messages", messages}};
    HttpRequest result;
    result.url = joined_url(endpoint.base_url, "/v1/messages");
    result.headers = {{"content-type", "application/json"},
                      {"anthropic-version", "2023-06-01"},
                      {"accept", "text/event-stream, application/json"}};
    if (!endpoint.key.empty()) {
      result.headers.emplace_back("x-api-key", endpoint.key);
      result.carries_key = true;
    }
    result.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
    return result;
  }

 protected:
  [[nodiscard]] Reply from_json(const Json& body) const override {
    const auto content = body.find("content");
    if (content == body.end() || !content->is_array()) {
      return Reply::of(failure(Failure::Kind::protocol, "the answer has no content"));
    }
    Answer answer;
    for (const Json& block : *content) {
      if (text_member(block, "type") == "text") answer.text += text_member(block, "text");
    }
    Counts counts;
    counts.update(member(body, "usage"));
    answer.usage = counts.usage();
    answer.stop_reason = messages_stop_reason(text_member(body, "stop_reason"));
    answer.model = text_member(body, "model");
    return Reply::of(std::move(answer));
  }

  [[nodiscard]] Reply from_stream(std::string_view body) const override {
    Answer answer;
    Counts counts;
    bool finished = false;
    for (const SseEvent& event : parse_sse(body)) {
      const Json data = parse_leniently(event.data);
      const std::string type = text_member(data, "type");
      if (type == "error") return Reply::of(failure_of_error(data, 0));
      if (type == "message_start" && data.contains("message")) {
        answer.model = text_member(data["message"], "model");
        counts.update(member(data["message"], "usage"));
      } else if (type == "content_block_start" && data.contains("content_block")) {
        answer.text += text_member(data["content_block"], "text");
      } else if (type == "content_block_delta" && data.contains("delta")) {
        if (text_member(data["delta"], "type") == "text_delta") {
          answer.text += text_member(data["delta"], "text");
        }
      } else if (type == "message_delta") {
        counts.update(member(data, "usage"));
        if (data.contains("delta")) {
          answer.stop_reason = messages_stop_reason(text_member(data["delta"], "stop_reason"));
        }
      } else if (type == "message_stop") {
        finished = true;
      }
    }
    if (!finished || answer.stop_reason.empty()) {
      return Reply::of(
          failure(Failure::Kind::truncated, "the stream ended before message_stop", true));
    }
    answer.usage = counts.usage();
    return Reply::of(std::move(answer));
  }
};

}  // namespace

std::unique_ptr<Dialect> make_anthropic_dialect() { return std::make_unique<AnthropicDialect>(); }

}  // namespace kernelloop
