// Chat Completions, as OpenAI and every compatible server speak it.
#include "propose/dialect.hpp"
#include "propose/sse.hpp"

namespace kernelloop {
namespace {

std::string chat_stop_reason(const std::string& reason) {
  if (reason == "stop" || reason == "eos") return "end";
  if (reason == "content_filter") return "refusal";
  return reason;
}

Usage chat_usage(const Json& json) {
  return {count_member(json, "prompt_tokens"), count_member(json, "completion_tokens"),
          count_member(member(json, "prompt_tokens_details"), "cached_tokens")};
}

// Adds what one choice (`part`: "message" or "delta") says.
void take_choice(const Json& body, const char* part, Answer& answer) {
  const auto choices = body.find("choices");
  if (choices == body.end() || !choices->is_array() || choices->empty()) return;
  const Json& choice = choices->front();
  if (!choice.is_object()) return;
  if (const auto found = choice.find(part); found != choice.end()) {
    answer.text += text_member(*found, "content");
    if (const std::string refusal = text_member(*found, "refusal"); !refusal.empty()) {
      answer.text += refusal;
      answer.stop_reason = "refusal";
    }
  }
  const std::string reason = text_member(choice, "finish_reason");
  if (!reason.empty() && answer.stop_reason != "refusal") {
    answer.stop_reason = chat_stop_reason(reason);
  }
}

class OpenAiChatDialect : public Dialect {
 public:
  [[nodiscard]] HttpRequest request(const AskRequest& ask,
                                    const Endpoint& endpoint) const override {
    Json messages = Json::array({{{"role", "system"}, {"content", ask.system}}});
    for (const Turn& turn : ask.turns) {
      messages.push_back(
          {{"role", turn.role == Turn::Role::user ? "user" : "assistant"}, {"content", turn.text}});
    }
    const Json body = {{"model", ask.model},
                       {endpoint.max_tokens_field, ask.max_output_tokens},
                       {"stream", true},
                       {"stream_options", {{"include_usage", true}}},
                       {"messages", messages}};
    HttpRequest result;
    result.url = joined_url(endpoint.base_url, "/chat/completions");
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
    const auto choices = body.find("choices");
    if (choices == body.end() || !choices->is_array() || choices->empty()) {
      return Reply::of(failure(Failure::Kind::protocol, "the answer has no choices"));
    }
    Answer answer;
    take_choice(body, "message", answer);
    if (answer.stop_reason.empty()) answer.stop_reason = "end";
    answer.usage = chat_usage(member(body, "usage"));
    answer.model = text_member(body, "model");
    return Reply::of(std::move(answer));
  }

  // Some servers leave [DONE] out: a finish reason is end mark enough.
  [[nodiscard]] Reply from_stream(std::string_view body) const override {
    Answer answer;
    bool done = false;
    for (const SseEvent& event : parse_sse(body)) {
      if (event.data == "[DONE]") {
        done = true;
        break;
      }
      const Json data = parse_leniently(event.data);
      if (!data.is_object()) continue;
      if (data.contains("error") && !data["error"].is_null()) {
        return Reply::of(failure_of_error(data, 0));
      }
      take_choice(data, "delta", answer);
      if (member(data, "usage").is_object()) answer.usage = chat_usage(data["usage"]);
      if (const std::string model = text_member(data, "model"); !model.empty()) {
        answer.model = model;
      }
    }
    if (answer.stop_reason.empty()) {
      if (!done || answer.text.empty()) {
        return Reply::of(
            failure(Failure::Kind::truncated, "the stream ended without a finish reason", true));
      }
      answer.stop_reason = "end";
    }
    return Reply::of(std::move(answer));
  }
};

}  // namespace

std::unique_ptr<Dialect> make_openai_chat_dialect() {
  return std::make_unique<OpenAiChatDialect>();
}

}  // namespace kernelloop
