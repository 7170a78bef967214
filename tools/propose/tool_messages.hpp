// What goes between a model and the tools it may read with, in no provider's own form.
#pragma once

#include "support/json.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// A tool as the model sees it.
struct ToolDeclaration {
  std::string name;  // [A-Za-z0-9_-]{1,64}
  std::string description;
  Json input_schema;  // a JSON schema of type "object"
};

// What the model wants to read.
struct ToolCall {
  std::string id;  // the provider's; one without an id gets one from us
  std::string name;
  Json input;         // an object; null when the arguments could not be read
  std::string error;  // then: why, for the model
};

// What it got.
struct ToolResult {
  std::string call_id;
  std::string name;
  std::string text;
  bool failed = false;
};

// The call with its arguments read from text. Servers differ: an empty text means no arguments, and
// line breaks may stand raw inside strings.
ToolCall call_with_arguments(std::string id, std::string name, std::string_view arguments);
// The same for arguments that came as JSON already (an object, or text with JSON in it).
ToolCall call_with_arguments(std::string id, std::string name, const Json& arguments);

// For the journal and the recording. The inverse functions throw Json::exception.
Json to_json(const std::vector<ToolDeclaration>& tools);
Json to_json(const std::vector<ToolCall>& calls);
Json to_json(const std::vector<ToolResult>& results);
std::vector<ToolDeclaration> tools_from_json(const Json& json);
std::vector<ToolCall> calls_from_json(const Json& json);
std::vector<ToolResult> results_from_json(const Json& json);

}  // namespace kernelloop
