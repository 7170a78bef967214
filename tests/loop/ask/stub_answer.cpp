#include "stub_answer.hpp"

#include "support/json.hpp"

#include <cstdint>
#include <utility>

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

std::string arguments_of(const std::string& reads) { return Json({{"what", reads}}).dump(); }

Json response_object(const std::string& text, const std::string& reads = {}) {
  Json output = Json::array(
      {{{"type", "message"},
        {"id", "msg_1"},
        {"role", "assistant"},
        {"status", "completed"},
        {"content", {{{"type", "output_text"}, {"text", text}, {"annotations", Json::array()}}}}}});
  if (!reads.empty()) {
    output.push_back({{"type", "function_call"},
                      {"id", "fc_1"},
                      {"status", "completed"},
                      {"call_id", "call_1"},
                      {"name", "look"},
                      {"arguments", arguments_of(reads)}});
  }
  return {{"id", "resp_1"},
          {"object", "response"},
          {"created_at", 1},
          {"status", "completed"},
          {"error", nullptr},
          {"incomplete_details", nullptr},
          {"model", "stub-1"},
          {"output", output},
          {"usage", {{"input_tokens", 100}, {"output_tokens", 10}, {"total_tokens", 110}}}};
}

Json message_object(const Json& content, const Json& stop_reason, int output_tokens) {
  return {{"id", "msg_1"},
          {"type", "message"},
          {"role", "assistant"},
          {"model", "stub-1"},
          {"content", content},
          {"stop_reason", stop_reason},
          {"stop_sequence", nullptr},
          {"usage", {{"input_tokens", 100}, {"output_tokens", output_tokens}}}};
}

std::string block_stop(int index) {
  return event({{"type", "content_block_stop"}, {"index", index}});
}

// `kind`: "chat.completion" or "chat.completion.chunk".
Json completion(const char* kind, const Json& choices) {
  return {{"id", "chatcmpl_1"},
          {"object", kind},
          {"created", 1},
          {"model", "stub-1"},
          {"choices", choices}};
}

std::string chunk(const Json& delta, const Json& finish = nullptr) {
  return event(
      completion("chat.completion.chunk",
                 Json::array({{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}})));
}

Json chat_counts() {
  return {{"prompt_tokens", 100}, {"completion_tokens", 10}, {"total_tokens", 110}};
}

std::string anthropic_call(const std::string& reads) {
  std::string body = event(
      {{"type", "content_block_start"},
       {"index", 1},
       {"content_block",
        {{"type", "tool_use"}, {"id", "call_1"}, {"name", "look"}, {"input", Json::object()}}}});
  const std::string arguments = arguments_of(reads);
  for (const std::string& part : {arguments.substr(0, 5), arguments.substr(5)}) {
    body += event({{"type", "content_block_delta"},
                   {"index", 1},
                   {"delta", {{"type", "input_json_delta"}, {"partial_json", part}}}});
  }
  return body;
}

std::string chat_call(const std::string& reads) {
  const std::string arguments = arguments_of(reads);
  const auto delta = [](const Json& call) { return chunk({{"tool_calls", Json::array({call})}}); };
  return delta({{"index", 0},
                {"id", "call_1"},
                {"type", "function"},
                {"function", {{"name", "look"}, {"arguments", arguments.substr(0, 5)}}}}) +
         delta({{"index", 0}, {"function", {{"arguments", arguments.substr(5)}}}});
}

std::string anthropic_stream(const std::string& text, const std::string& reads) {
  std::string body =
      event({{"type", "message_start"}, {"message", message_object(Json::array(), nullptr, 1)}});
  body += event({{"type", "content_block_start"},
                 {"index", 0},
                 {"content_block", {{"type", "text"}, {"text", ""}}}});
  for (std::size_t at = 0; at < text.size(); at += 40) {
    body += event({{"type", "content_block_delta"},
                   {"index", 0},
                   {"delta", {{"type", "text_delta"}, {"text", text.substr(at, 40)}}}});
  }
  body += block_stop(0);
  if (!reads.empty()) body += anthropic_call(reads) + block_stop(1);
  body += event(
      {{"type", "message_delta"},
       {"delta",
        {{"stop_reason", reads.empty() ? "end_turn" : "tool_use"}, {"stop_sequence", nullptr}}},
       {"usage", {{"output_tokens", 10}}}});
  return body + event({{"type", "message_stop"}});
}

std::string openai_stream(const std::string& text, const std::string& reads) {
  int number = 0;
  std::string body;
  for (std::size_t at = 0; at < text.size(); at += 40) {
    body += event({{"type", "response.output_text.delta"},
                   {"sequence_number", number++},
                   {"item_id", "msg_1"},
                   {"output_index", 0},
                   {"content_index", 0},
                   {"delta", text.substr(at, 40)}});
  }
  return body + event({{"type", "response.completed"},
                       {"sequence_number", number},
                       {"response", response_object(text, reads)}});
}

std::string chat_stream(const std::string& text, const std::string& reads) {
  std::string body = chunk({{"role", "assistant"}, {"content", ""}});
  for (std::size_t at = 0; at < text.size(); at += 40) {
    body += chunk({{"content", text.substr(at, 40)}});
  }
  if (!reads.empty()) body += chat_call(reads);
  body += chunk(Json::object(), reads.empty() ? "stop" : "tool_calls");
  Json last = completion("chat.completion.chunk", Json::array());
  last["usage"] = chat_counts();
  return body + event(last) + "data: [DONE]\n\n";
}

Json anthropic_json(const std::string& text, const std::string& reads) {
  Json content = Json::array({{{"type", "text"}, {"text", text}}});
  if (!reads.empty()) {
    content.push_back(
        {{"type", "tool_use"}, {"id", "call_1"}, {"name", "look"}, {"input", {{"what", reads}}}});
  }
  return message_object(content, reads.empty() ? "end_turn" : "tool_use", 10);
}

Json chat_json(const std::string& text, const std::string& reads) {
  Json message = {{"role", "assistant"}, {"content", text}};
  if (!reads.empty()) {
    message["tool_calls"] =
        Json::array({{{"id", "call_1"},
                      {"type", "function"},
                      {"function", {{"name", "look"}, {"arguments", arguments_of(reads)}}}}});
  }
  Json whole = completion(
      "chat.completion", Json::array({{{"index", 0},
                                       {"message", message},
                                       {"finish_reason", reads.empty() ? "stop" : "tool_calls"}}}));
  whole["usage"] = chat_counts();
  return whole;
}

}  // namespace

std::string stream_body(const std::string& path, const std::string& text,
                        const std::string& reads) {
  switch (wire_of(path)) {
    case Wire::anthropic:
      return anthropic_stream(text, reads);
    case Wire::openai:
      return openai_stream(text, reads);
    case Wire::chat:
      break;
  }
  return chat_stream(text, reads);
}

std::string json_body(const std::string& path, const std::string& text, const std::string& reads) {
  switch (wire_of(path)) {
    case Wire::anthropic:
      return anthropic_json(text, reads).dump();
    case Wire::openai:
      return response_object(text, reads).dump();
    case Wire::chat:
      break;
  }
  return chat_json(text, reads).dump();
}

bool wants_stream(const std::string& request_body) {
  const Json body = Json::parse(request_body, nullptr, false);
  return body.is_object() && body.value("stream", Json()) == true;
}

std::string error_event(const std::string& path) {
  switch (wire_of(path)) {
    case Wire::anthropic:
      return event({{"type", "error"},
                    {"error", {{"type", "overloaded_error"}, {"message", "Overloaded"}}}});
    case Wire::openai:
      return event({{"type", "error"}, {"code", "server_error"}, {"message", "try again"}});
    case Wire::chat:
      break;
  }
  return event({{"error", {{"code", 502}, {"message", "upstream broke"}}}});
}

// Stored blocks, since nothing need become smaller: RFC 1951 section 3.2.4, RFC 1952.
std::string gzipped(const std::string& bytes) {
  std::string result("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10);
  const auto put = [&](std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) result += static_cast<char>(value >> (8 * i));
  };
  constexpr std::size_t k_block = 65535;
  for (std::size_t at = 0; at == 0 || at < bytes.size(); at += k_block) {
    const std::string block = bytes.substr(at, k_block);
    const auto size = static_cast<std::uint32_t>(block.size());
    result += static_cast<char>(at + k_block >= bytes.size() ? 1 : 0);
    put(size, 2);
    put(~size, 2);
    result += block;
  }
  std::uint32_t checksum = 0xFFFFFFFFu;
  for (const char c : bytes) {
    checksum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      checksum = (checksum >> 1) ^ ((checksum & 1u) != 0 ? 0xEDB88320u : 0u);
    }
  }
  put(~checksum, 4);
  put(static_cast<std::uint32_t>(bytes.size()), 4);
  return result;
}

}  // namespace kernelloop
