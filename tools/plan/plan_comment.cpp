#include "plan/plan_comment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace kernelloop {
namespace {

constexpr std::string_view k_marker = "kernelloop:plan";
constexpr std::string_view k_form =
    "begin the file with /* kernelloop:plan {\"launches\": [...]} */";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  return position_of(text, offset).line;
}

// Every place where a block comment opens with the marker.
std::vector<std::size_t> comment_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = text.find("/*"); at != std::string_view::npos;
       at = text.find("/*", at + 2)) {
    const std::size_t word = skip_blanks(text, at + 2);
    if (text.substr(word, k_marker.size()) == k_marker) starts.push_back(at);
  }
  return starts;
}

// How far a JSON text is from being complete.
struct JsonState {
  int open = 0;  // brackets and braces
  bool in_string = false;
};

JsonState state_of(std::string_view json) {
  JsonState state;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') state.in_string = !state.in_string;
    if (state.in_string && c == '\\') ++at;
    if (state.in_string) continue;
    if (c == '{' || c == '[') ++state.open;
    if (c == '}' || c == ']') --state.open;
  }
  return state;
}

PlanComment problem(const std::string& message, std::size_t line) {
  return {{}, 1, {{message, line}}};
}

PlanComment missing(std::string_view source) {
  const std::size_t marker = source.find(k_marker);
  if (marker == std::string_view::npos) {
    return problem(fmt::format("there is no launch plan; {}", k_form), 1);
  }
  return problem(fmt::format("`{}` must stand in a block comment of its own; {}", k_marker, k_form),
                 line_at(source, marker));
}

}  // namespace

PlanComment find_plan_comment(const std::string& source) {
  const std::string_view text = source;
  const std::vector<std::size_t> starts = comment_starts(text);
  if (starts.empty()) return missing(text);
  const std::size_t start = starts.front();
  if (starts.size() > 1) {
    return problem(
        fmt::format("there are {} launch plans, the first in line {}; keep one, with all "
                    "launches",
                    starts.size(), line_at(text, start)),
        line_at(text, starts[1]));
  }
  const std::size_t line = line_at(text, start);
  const std::size_t byte_order_mark = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
  if (skip_blanks(text, byte_order_mark) != start) {
    return problem("the launch plan must be the first thing in the file; move it to the top", line);
  }
  const std::size_t begin = skip_blanks(text, text.find(k_marker, start) + k_marker.size());
  const std::size_t end = text.find("*/", begin);
  if (end == std::string_view::npos) {
    return problem("the comment with the launch plan is never closed; write */ behind its last }",
                   line);
  }
  const std::string_view json = text.substr(begin, end - begin);
  const JsonState state = state_of(json);
  const std::size_t end_line = line_at(text, end);
  if (state.in_string) {
    return problem(
        "`*/` inside a string of the launch plan closes the comment there; write the "
        "expression without `*/`",
        end_line);
  }
  if (state.open > 0) {
    return problem(fmt::format("the comment ends before the JSON of the launch plan does ({} "
                               "unclosed); close every bracket and brace before */",
                               state.open),
                   end_line);
  }
  return {std::string(json), line_at(text, begin), {}};
}

}  // namespace kernelloop
