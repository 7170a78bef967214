#include "plan/plan_comment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace kernelloop {
namespace {

constexpr std::string_view k_marker = "kernelloop:plan";

// How a comment looks that can hold a plan.
struct Marks {
  std::string_view open;
  std::string_view close;
  std::string_view kind;
};

Marks marks_of(PlanForm form) {
  if (form == PlanForm::cuda) return {"/*", "*/", "block comment"};
  return {"\"\"\"", "\"\"\"", "docstring"};
}

std::string how_to(const Marks& marks) {
  return fmt::format("begin the file with {} kernelloop:plan {{\"launches\": [...]}} {}",
                     marks.open, marks.close);
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  return position_of(text, offset).line;
}

// Every place where a comment opens with the marker.
std::vector<std::size_t> comment_starts(std::string_view text, const Marks& marks) {
  std::vector<std::size_t> starts;
  for (std::size_t at = text.find(marks.open); at != std::string_view::npos;
       at = text.find(marks.open, at + marks.open.size())) {
    const std::size_t word = skip_blanks(text, at + marks.open.size());
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

PlanComment missing(std::string_view source, const Marks& marks) {
  const std::size_t marker = source.find(k_marker);
  if (marker == std::string_view::npos) {
    return problem(fmt::format("there is no launch plan; {}", how_to(marks)), 1);
  }
  return problem(
      fmt::format("`{}` must stand in a {} of its own; {}", k_marker, marks.kind, how_to(marks)),
      line_at(source, marker));
}

}  // namespace

PlanComment find_plan_comment(const std::string& source, PlanForm form) {
  const std::string_view text = source;
  const Marks marks = marks_of(form);
  const std::vector<std::size_t> starts = comment_starts(text, marks);
  if (starts.empty()) return missing(text, marks);
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
  const std::size_t end = text.find(marks.close, begin);
  if (end == std::string_view::npos) {
    return problem(fmt::format("the comment with the launch plan is never closed; write {} behind "
                               "its last }}",
                               marks.close),
                   line);
  }
  const std::string_view json = text.substr(begin, end - begin);
  const JsonState state = state_of(json);
  const std::size_t end_line = line_at(text, end);
  if (state.in_string) {
    return problem(fmt::format("`{0}` inside a string of the launch plan closes the comment there; "
                               "write the expression without `{0}`",
                               marks.close),
                   end_line);
  }
  if (state.open > 0) {
    return problem(fmt::format("the comment ends before the JSON of the launch plan does ({} "
                               "unclosed); close every bracket and brace before {}",
                               state.open, marks.close),
                   end_line);
  }
  return {std::string(json), line_at(text, begin), {}};
}

}  // namespace kernelloop
