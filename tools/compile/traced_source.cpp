#include "compile/traced_source.hpp"

#include "compile/source_text.hpp"
#include "compile/text.hpp"

#include <optional>
#include <string_view>

namespace kernelloop {
namespace {

// Whether a line belongs to a preprocessor directive, which a backslash may carry on.
bool is_directive(const SourceText& source, std::size_t line) {
  while (line > 1 && !source.line(line - 1).empty() && source.line(line - 1).back() == '\\') --line;
  const std::string_view text = trimmed(source.line(line));
  return !text.empty() && text.front() == '#';
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
    if (is_directive(source, source.line_of(*at))) continue;
    const auto body = body_of(source.code(), *at);
    if (!body || *body < copied) continue;
    text += source.text().substr(copied, *body + 1 - copied) + " KERNELLOOP_TRACE_KERNEL ";
    copied = *body + 1;
  }
  return text + source.text().substr(copied);
}

}  // namespace kernelloop
