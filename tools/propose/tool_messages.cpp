#include "propose/tool_messages.hpp"

#include <fmt/format.h>

#include <utility>

namespace kernelloop {
namespace {

// Control characters inside strings are no JSON, but some servers send them.
std::string with_escaped_controls(std::string_view text) {
  std::string result;
  bool inside = false;
  bool escaped = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (inside && byte < 32) {
      result += fmt::format("\\u{:04x}", byte);
      escaped = false;
      continue;
    }
    if (c == '"' && !escaped) inside = !inside;
    escaped = inside && c == '\\' && !escaped;
    result += c;
  }
  return result;
}

}  // namespace

ToolCall call_with_arguments(std::string id, std::string name, std::string_view arguments) {
  ToolCall call{std::move(id), std::move(name), nullptr, {}};
  if (arguments.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    call.input = Json::object();
    return call;
  }
  Json input = Json::parse(arguments, nullptr, false);
  if (input.is_discarded()) input = Json::parse(with_escaped_controls(arguments), nullptr, false);
  if (input.is_object()) {
    call.input = std::move(input);
  } else {
    call.error = "the arguments are no JSON object; call again with one";
  }
  return call;
}

ToolCall call_with_arguments(std::string id, std::string name, const Json& arguments) {
  if (arguments.is_string()) {
    const auto text = arguments.get<std::string>();
    return call_with_arguments(std::move(id), std::move(name), std::string_view(text));
  }
  if (arguments.is_null()) {
    return call_with_arguments(std::move(id), std::move(name), std::string_view());
  }
  if (arguments.is_object()) return {std::move(id), std::move(name), arguments, {}};
  return call_with_arguments(std::move(id), std::move(name), std::string_view("[]"));
}

Json to_json(const std::vector<ToolDeclaration>& tools) {
  Json json = Json::array();
  for (const ToolDeclaration& tool : tools) {
    json.push_back({{"name", tool.name},
                    {"description", tool.description},
                    {"input_schema", tool.input_schema}});
  }
  return json;
}

Json to_json(const std::vector<ToolCall>& calls) {
  Json json = Json::array();
  for (const ToolCall& call : calls) {
    Json item = {{"id", call.id}, {"name", call.name}, {"input", call.input}};
    if (!call.error.empty()) item["error"] = call.error;
    json.push_back(std::move(item));
  }
  return json;
}

Json to_json(const std::vector<ToolResult>& results) {
  Json json = Json::array();
  for (const ToolResult& result : results) {
    json.push_back({{"call_id", result.call_id},
                    {"name", result.name},
                    {"text", result.text},
                    {"failed", result.failed}});
  }
  return json;
}

std::vector<ToolDeclaration> tools_from_json(const Json& json) {
  std::vector<ToolDeclaration> tools;
  for (const Json& item : json) {
    tools.push_back({item.at("name").get<std::string>(), item.at("description").get<std::string>(),
                     item.at("input_schema")});
  }
  return tools;
}

std::vector<ToolCall> calls_from_json(const Json& json) {
  std::vector<ToolCall> calls;
  for (const Json& item : json) {
    calls.push_back({item.at("id").get<std::string>(), item.at("name").get<std::string>(),
                     item.at("input"), item.value("error", "")});
  }
  return calls;
}

std::vector<ToolResult> results_from_json(const Json& json) {
  std::vector<ToolResult> results;
  for (const Json& item : json) {
    results.push_back({item.at("call_id").get<std::string>(), item.at("name").get<std::string>(),
                       item.at("text").get<std::string>(), item.at("failed").get<bool>()});
  }
  return results;
}

}  // namespace kernelloop
