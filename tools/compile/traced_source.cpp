#include "compile/traced_source.hpp"

#include "compile/source_text.hpp"
#include "compile/text.hpp"

#include <optional>
#include <string_view>

namespace kernelloop {
namespace {

bool goes_on(const SourceText& source, std::size_t line) {
  return !source.line(line).empty() && source.line(line).back() == '\\';
}

// The last line of the preprocessor directive that a line belongs to; 0 for none.
std::size_t end_of_directive(const SourceText& source, std::size_t line) {
  std::size_t first = line;
  while (first > 1 && goes_on(source, first - 1)) --first;
  const std::string_view text = trimmed(source.line(first));
  if (text.empty() || text.front() != '#') return 0;
  while (goes_on(source, line)) ++line;
  return line;
}

// Where the body of the function declared at `at` opens; nothing for a declaration without one.
std::optional<std::size_t> body_of(std::string_view code, std::size_t at) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    const char c = code[at];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth > 0) continue;
    if (c == '{') return at;
    if (c == ';') return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string traced_source(const SourceText& source) {
  constexpr std::string_view k_global = "__global__";
  std::string text;
  std::size_t copied = 0;
  for (auto at = source.find_word(k_global); at; at = source.find_word(k_global, *at + 1)) {
    const auto body = body_of(source.code(), *at);
    if (!body || *body < copied) continue;
    const std::size_t end = end_of_directive(source, source.line_of(*at));
    if (end != 0 && source.line_of(*body) > end) continue;
    text += source.text().substr(copied, *body + 1 - copied) + " KERNELLOOP_TRACE_KERNEL ";
    copied = *body + 1;
  }
  return text + source.text().substr(copied);
}

}  // namespace kernelloop
