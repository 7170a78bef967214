#include "context/reading_tools.hpp"

#include "support/json_members.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace kernelloop {
namespace {

// A declaration and what answers it.
class ContextTool : public ReadingTool {
 public:
  using Answer = std::function<Reading(const Json& input)>;

  ContextTool(ToolDeclaration declaration, Answer answer)
      : declaration_(std::move(declaration)), answer_(std::move(answer)) {}

  [[nodiscard]] ToolDeclaration declaration() const override { return declaration_; }

  ToolOutput call(const Json& input) override {
    for (const Json& name : declaration_.input_schema["required"]) {
      if (member(input, name.get<std::string>().c_str()).is_string()) continue;
      return {declaration_.name + " needs \"" + name.get<std::string>() + "\", a text", true};
    }
    Reading reading = answer_(input);
    return {std::move(reading.text), reading.failed};
  }

 private:
  ToolDeclaration declaration_;
  Answer answer_;
};

Json text_type(const char* description) {
  return {{"type", "string"}, {"description", description}};
}

Json number_type(const char* description) {
  return {{"type", "integer"}, {"description", description}};
}

ToolDeclaration declare(const char* name, const char* description, Json properties, Json required) {
  return {name,
          description,
          {{"type", "object"},
           {"properties", std::move(properties)},
           {"required", std::move(required)},
           {"additionalProperties", false}}};
}

// A line number or count as a model may write one: a number of any kind, or digits in a text.
int whole(const Json& input, const char* name, int otherwise) {
  const Json& value = member(input, name);
  constexpr double k_largest = 1e9;
  if (value.is_number()) {
    return static_cast<int>(std::clamp(value.get<double>(), -k_largest, k_largest));
  }
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    if (!text.empty() && text.size() < 9 &&
        text.find_first_not_of("0123456789") == std::string::npos) {
      return std::stoi(text);
    }
  }
  return otherwise;
}

}  // namespace

std::vector<std::unique_ptr<ReadingTool>> make_reading_tools(ContextReader& reader) {
  std::vector<std::unique_ptr<ReadingTool>> tools;
  const auto add = [&](ToolDeclaration declaration, ContextTool::Answer answer) {
    tools.push_back(std::make_unique<ContextTool>(std::move(declaration), std::move(answer)));
  };
  add(declare("search",
              "Find the best places for some words in the sources, documentation and notes that "
              "were chosen for this operator. Words are matched whole (my_name, cute::Layout); "
              "the answer shows file:line and the lines around.",
              {{"query", text_type("words or identifiers, the fewer the better")},
               {"limit", number_type("places to show, 1 to 20; 6 unless given")}},
              Json::array({"query"})),
      [&reader](const Json& input) {
        return reader.search(text_member(input, "query"),
                             whole(input, "limit", ContextReader::k_hits));
      });
  add(declare("read",
              "Read lines of a file, at most 400 at a time. Files are named as search, list and "
              "grep show them. versions/vNNN/ holds the operator's earlier versions: source, "
              "verdicts, times, profile, PTX and, where it can be made, SASS.",
              {{"file", text_type("for example versions/v003/kernel.cu")},
               {"first", number_type("first line, from 1; 1 unless given")},
               {"last", number_type("last line; as many as fit unless given")}},
              Json::array({"file"})),
      [&reader](const Json& input) {
        return reader.read(text_member(input, "file"), whole(input, "first", 1),
                           whole(input, "last", 0));
      });
  add(declare("list", "List what stands in a directory.",
              {{"directory", text_type("empty for the top")}}, Json::array()),
      [&reader](const Json& input) { return reader.list(text_member(input, "directory")); });
  add(declare("grep",
              "Show the lines that match a POSIX extended regular expression ({ and } mean "
              "themselves), as file:line: text.",
              {{"pattern", text_type("for one line of text")},
               {"below", text_type("a directory or file to look into; everything but versions/ "
                                   "unless given")},
               {"ignore_case", {{"type", "boolean"}}}},
              Json::array({"pattern"})),
      [&reader](const Json& input) {
        const Json& ignore = member(input, "ignore_case");
        return reader.grep(text_member(input, "pattern"), text_member(input, "below"),
                           ignore.is_boolean() && ignore.get<bool>());
      });
  return tools;
}

}  // namespace kernelloop
