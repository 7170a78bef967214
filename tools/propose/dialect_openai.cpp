// OpenAI's Responses API.
#include "propose/dialect.hpp"
#include "propose/sse.hpp"

namespace kernelloop {
namespace {

Usage responses_usage(const Json& json) {
  return {count_member(json, "input_tokens"), count_member(json, "output_tokens"),
          count_member(member(json, "input_tokens_details"), "cached_tokens")};
}

class OpenAiDialect : public Dialect {
 public:
  [[nodiscard]] HttpRequest request(const AskRequest& ask,
                                    const Endpoint& endpoint) const override {
    Json input = Json::array();
    for (const Turn& turn : ask.turns) {
      input.push_back(
          {{"role", turn.role == Turn::Role::user ? "user" : "assistant"}, {"content", turn.text}});
    }
    const Json body = {{"model", ask.model},
                       {"max_output_tokens", ask.max_output_tokens},
                       {"store", false},
                       {"stream", true},
                       {"instructions", ask.system},
                       {"input", input}};
    HttpRequest result;
    result.url = joined_url(endpoint.base_url, "/responses");
    result.headers = {{"content-type", "application/json"},
                      {"accept", "text/event-stream, application/json"}};
    if (!endpoint.key.empty()) {
      result.headers.emplace_back("authorization", "Bearer " + endpoint.key);
      result.carries_key = true;
    }
    result.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
    return result;
  }

 protected:
  [[nodiscard]] Reply from_json(const Json& body) const override {
    const std::string status = text_member(body, "status");
    if (status == "failed" || status == "cancelled") {
      return Reply::of(failure_of_error(member(body, "error"), 0));
    }
    const auto output = body.find("output");
    if (output == body.end() || !output->is_array()) {
      return Reply::of(failure(Failure::Kind::protocol, "the answer has no output"));
    }
    Answer answer;
    answer.stop_reason = "end";
    for (const Json& item : *output) {
      if (text_member(item, "type") == "message") take_message(item, answer);
    }
    if (status == "incomplete") {
      const std::string reason = text_member(member(body, "incomplete_details"), "reason");
      answer.stop_reason = reason == "content_filter" ? "refusal" : "length";
    }
    answer.usage = responses_usage(member(body, "usage"));
    answer.model = text_member(body, "model");
    return Reply::of(std::move(answer));
  }

  // The deltas only show that something is alive: the last event carries the whole answer.
  [[nodiscard]] Reply from_stream(std::string_view body) const override {
    for (const SseEvent& event : parse_sse(body)) {
      const Json data = parse_leniently(event.data);
      const std::string type = text_member(data, "type");
      if (type == "error") return Reply::of(failure_of_error(data, 0));
      const bool last = type == "response.completed" || type == "response.incomplete" ||
                        type == "response.failed";
      if (last && data.contains("response") && data["response"].is_object()) {
        return from_json(data["response"]);
      }
    }
    return Reply::of(
        failure(Failure::Kind::truncated, "the stream ended before response.completed", true));
  }

 private:
  static void take_message(const Json& item, Answer& answer) {
    const auto content = item.find("content");
    if (content == item.end() || !content->is_array()) return;
    for (const Json& part : *content) {
      if (text_member(part, "type") == "output_text") answer.text += text_member(part, "text");
      if (text_member(part, "type") == "refusal") {
        answer.text += text_member(part, "refusal");
        answer.stop_reason = "refusal";
      }
    }
  }
};

}  // namespace

std::unique_ptr<Dialect> make_openai_dialect() { return std::make_unique<OpenAiDialect>(); }

}  // namespace kernelloop
