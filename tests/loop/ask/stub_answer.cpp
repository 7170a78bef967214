#include "stub_answer.hpp"

#include "support/json.hpp"

namespace kernelloop {
namespace {

enum class Wire { anthropic, openai, chat };

Wire wire_of(const std::string& path) {
  if (path.find("/messages") != std::string::npos) return Wire::anthropic;
  return path.find("/responses") != std::string::npos ? Wire::openai : Wire::chat;
}

std::string event(const Json& data) {
  const auto type = data.find("type");
  const std::string name = type == data.end() ? "" : "event: " + type->get<std::string>() + "\n";
  return name + "data: " + data.dump() + "\n\n";
}

Json response_object(const std::string& text) {
  return {
      {"status", "completed"},
      {"model", "stub-1"},
      {"output", {{{"type", "message"}, {"content", {{{"type", "output_text"}, {"text", text}}}}}}},
      {"usage", {{"input_tokens", 100}, {"output_tokens", 10}}}};
}

std::string anthropic_stream(const std::string& text) {
  std::string body =
      event({{"type", "message_start"},
             {"message",
              {{"model", "stub-1"}, {"usage", {{"input_tokens", 100}, {"output_tokens", 1}}}}}});
  body +=
      event({{"type", "content_block_start"}, {"content_block", {{"type", "text"}, {"text", ""}}}});
  for (std::size_t at = 0; at < text.size(); at += 40) {
    body += event({{"type", "content_block_delta"},
                   {"delta", {{"type", "text_delta"}, {"text", text.substr(at, 40)}}}});
  }
  body += event({{"type", "message_delta"},
                 {"delta", {{"stop_reason", "end_turn"}}},
                 {"usage", {{"output_tokens", 10}}}});
  return body + event({{"type", "message_stop"}});
}

std::string openai_stream(const std::string& text) {
  std::string body;
  for (std::size_t at = 0; at < text.size(); at += 40) {
    body += event({{"type", "response.output_text.delta"}, {"delta", text.substr(at, 40)}});
  }
  return body + event({{"type", "response.completed"}, {"response", response_object(text)}});
}

std::string chat_stream(const std::string& text) {
  std::string body;
  for (std::size_t at = 0; at < text.size(); at += 40) {
    body += event(
        {{"model", "stub-1"}, {"choices", {{{"delta", {{"content", text.substr(at, 40)}}}}}}});
  }
  body += event({{"choices", {{{"delta", Json::object()}, {"finish_reason", "stop"}}}}});
  body += event(
      {{"choices", Json::array()}, {"usage", {{"prompt_tokens", 100}, {"completion_tokens", 10}}}});
  return body + "data: [DONE]\n\n";
}

}  // namespace

std::string stream_body(const std::string& path, const std::string& text) {
  switch (wire_of(path)) {
    case Wire::anthropic:
      return anthropic_stream(text);
    case Wire::openai:
      return openai_stream(text);
    case Wire::chat:
      break;
  }
  return chat_stream(text);
}

std::string json_body(const std::string& path, const std::string& text) {
  switch (wire_of(path)) {
    case Wire::anthropic:
      return Json({{"type", "message"},
                   {"model", "stub-1"},
                   {"stop_reason", "end_turn"},
                   {"content", {{{"type", "text"}, {"text", text}}}},
                   {"usage", {{"input_tokens", 100}, {"output_tokens", 10}}}})
          .dump();
    case Wire::openai:
      return response_object(text).dump();
    case Wire::chat:
      break;
  }
  return Json({{"model", "stub-1"},
               {"choices", {{{"message", {{"content", text}}}, {"finish_reason", "stop"}}}},
               {"usage", {{"prompt_tokens", 100}, {"completion_tokens", 10}}}})
      .dump();
}

}  // namespace kernelloop
