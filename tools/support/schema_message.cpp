#include "support/schema_message.hpp"

#include "support/suggest.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace kernelloop {
namespace {

std::string escaped(const std::string& token) {
  std::string result;
  for (const char c : token) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

const Json& resolved(const Json& root, const Json& schema) {
  if (!schema.is_object() || !schema.contains("$ref")) return schema;
  const auto target = schema["$ref"].get<std::string>();
  return root.at(Json::json_pointer(target.substr(1)));  // "#/definitions/axis"
}

// The schema of the value that `tokens` lead to; null when the schema does not say.
Json subschema(const Json& root, const std::vector<std::string>& tokens) {
  Json schema = resolved(root, root);
  for (const std::string& token : tokens) {
    Json next;
    if (schema.contains("properties") && schema["properties"].contains(token)) {
      next = schema["properties"][token];
    } else if (schema.contains("items") && schema["items"].is_object()) {
      next = schema["items"];
    } else if (schema.contains("additionalProperties")) {
      next = schema["additionalProperties"];
    }
    schema = resolved(root, next);
    if (!schema.is_object()) return nullptr;
  }
  return schema;
}

const Json* value_at(const Json& document, const std::vector<std::string>& tokens) {
  const Json* value = &document;
  for (const std::string& token : tokens) {
    if (value->is_object() && value->contains(token)) {
      value = &(*value)[token];
    } else if (value->is_array()) {
      const std::size_t index = std::strtoull(token.c_str(), nullptr, 10);
      if (index >= value->size()) return nullptr;
      value = &(*value)[index];
    } else {
      return nullptr;
    }
  }
  return value;
}

std::string with_article(const std::string& type) {
  if (type == "null") return "null";
  return (type == "object" || type == "array" || type == "integer" ? "an " : "a ") + type;
}

std::string type_of(const Json& value) {
  if (value.is_number_float()) return "a number with a fraction";
  if (value.is_number()) return "an integer";
  return with_article(value.type_name());
}

std::string wanted_types(const Json& type) {
  if (type.is_string()) return with_article(type.get<std::string>());
  std::string result;
  for (const Json& one : type) {
    result += (result.empty() ? "" : " or ") + with_article(one.get<std::string>());
  }
  return result;
}

std::string shown(const Json& value) {
  constexpr std::size_t k_longest = 60;
  const std::string text = value.dump(-1, ' ', true);
  return text.size() <= k_longest ? text : text.substr(0, k_longest) + "...";
}

std::string not_allowed(const Json& value, const Json& allowed) {
  std::string list;
  std::vector<std::string> names;
  for (const Json& one : allowed) {
    list += (list.empty() ? "" : ", ") + one.dump();
    if (one.is_string()) names.push_back(one.get<std::string>());
  }
  std::string hint;
  if (value.is_string()) {
    const auto nearest = nearest_name(value.get<std::string>(), names);
    if (nearest) hint = fmt::format("did you mean \"{}\"? ", *nearest);
  }
  return fmt::format("{} is not allowed here; {}allowed are {}", shown(value), hint, list);
}

std::vector<std::string> member_names(const Json& schema) {
  std::vector<std::string> names;
  if (schema.is_object() && schema.contains("properties")) {
    for (const auto& [name, ignored] : schema["properties"].items()) names.push_back(name);
  }
  return names;
}

// The text between the last pair of single quotes.
std::string quoted_name(const std::string& description) {
  const std::size_t begin = description.find(": '");
  const std::size_t first = begin == std::string::npos ? description.find('\'') : begin + 2;
  const std::size_t last = description.rfind('\'');
  if (first == std::string::npos || last <= first) return {};
  return description.substr(first + 1, last - first - 1);
}

}  // namespace

SchemaMessage schema_message(const Json& schema, const Json& document,
                             const std::vector<std::string>& tokens,
                             const std::string& description) {
  std::string pointer;
  for (const std::string& token : tokens) pointer += "/" + escaped(token);
  const Json rule = subschema(schema, tokens);
  const Json* value = value_at(document, tokens);
  const auto says = [&](std::string_view text) {
    return description.find(text) != std::string::npos;
  };
  if (says("could not be validated using 'properties'")) {
    const std::string name = quoted_name(description);
    return {pointer + "/" + escaped(name),
            fmt::format("unknown member `{}`; {}", name, name_hint(name, member_names(rule)))};
  }
  if (says("Missing required property")) {
    return {pointer, fmt::format("missing member `{}`; add it", quoted_name(description))};
  }
  if (value == nullptr || !rule.is_object()) return {pointer, description};
  if (says("'type' constraint") && rule.contains("type")) {
    // An expression is a text even where it is a number.
    const bool lacks_quotes = rule["type"] == "string" && value->is_number();
    return {pointer,
            fmt::format("expected {}, found {}: {}{}", wanted_types(rule["type"]), type_of(*value),
                        shown(*value), lacks_quotes ? "; put it in quotes" : "")};
  }
  if (says("enum values") && rule.contains("enum")) {
    return {pointer, not_allowed(*value, rule["enum"])};
  }
  if (says("'const' constraint") && rule.contains("const")) {
    return {pointer, fmt::format("must be {}, found {}", rule["const"].dump(), shown(*value))};
  }
  if (value->is_number_unsigned() &&
      value->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return {pointer, fmt::format("{} does not fit into 64 bits", shown(*value))};
  }
  if (says("Expected number greater than or equal") && rule.contains("minimum")) {
    return {pointer,
            fmt::format("must be at least {}, found {}", rule["minimum"].dump(), shown(*value))};
  }
  return {pointer, fmt::format("{}; found {}", description, shown(*value))};
}

}  // namespace kernelloop
