#include "compile/directive_policy.hpp"

#include "compile/harmless_macro.hpp"
#include "compile/source_text.hpp"
#include "compile/text.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace kernelloop {
namespace {

constexpr std::array<std::string_view, 17> k_directives{
    "", "define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif",
    "error", "warning", "pragma",
    // Judged with their targets (policy.cpp).
    "include", "include_next", "import"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

Problem refused_directive(const Directive& one) {
  const bool marks = one.name == "line" ||
                     (!one.name.empty() && one.name.front() >= '0' && one.name.front() <= '9');
  if (marks) {
    return broken_rule(fmt::format("`#{} {}` says that lines come from another place; remove it",
                                   one.name, one.rest),
                       one.line);
  }
  return broken_rule(fmt::format("#{} is no directive that a version needs; remove it", one.name),
                     one.line);
}

void check_macros_before_includes(const std::vector<Directive>& directives,
                                  std::vector<Problem>& problems) {
  std::size_t last_include = 0;
  for (std::size_t i = 0; i < directives.size(); ++i) {
    if (directives[i].name == "include") last_include = i;
  }
  HarmlessMacros harmless;
  for (std::size_t i = 0; i < last_include; ++i) {
    const Directive& one = directives[i];
    if (one.name != "define" || harmless.admit(one.rest)) continue;
    problems.push_back(broken_rule(
        fmt::format("the macro of `#define {}` could change what is included after it; move it "
                    "behind the last #include",
                    one.rest.substr(0, one.rest.find_first_of(" \t("))),
        one.line));
  }
}

// What the two compilers, or a search of the text, could read differently.
void check_characters(const SourceText& source, std::vector<Problem>& problems) {
  const std::string& text = source.text();
  const auto refuse = [&](const char* what, std::size_t at) {
    problems.push_back(broken_rule(what, source.line_of(at)));
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    const char after = at + 2 < text.size() ? text[at + 2] : '\0';
    if (text[at] == '\0') {
      return refuse("the source holds a zero byte; remove it", at);
    }
    if (text[at] == '\r' && next != '\n') {
      return refuse("the source holds a carriage return within a line; remove it", at);
    }
    if (text[at] == '?' && next == '?' && (after == '=' || after == '/')) {
      return refuse("the source holds a trigraph (?? and a sign); write the character itself", at);
    }
    if (text[at] != '\\') continue;
    std::size_t end = at + 1;
    while (end < text.size() && is_blank(text[end])) ++end;
    const std::size_t blanks = end - at - 1;
    if (end < text.size() && text[end] == '\r') ++end;
    if (end >= text.size() || text[end] != '\n') continue;
    if (blanks != 0) {
      return refuse("blanks stand between a backslash and the end of its line; remove them", at);
    }
    const char before = at == 0 ? '\n' : text[at - 1];
    const char behind = end + 1 < text.size() ? text[end + 1] : '\n';
    const auto parts = [](char c) { return is_blank(c) || c == '\n' || c == '\r'; };
    if (!parts(before) && !parts(behind)) {
      return refuse(
          "a backslash at the end of the line joins it to the next without a blank; put "
          "one in front of the backslash",
          at);
    }
  }
}

}  // namespace

std::vector<Problem> check_directives(const SourceText& source) {
  std::vector<Problem> problems;
  const std::vector<Directive> directives = source.directives();
  for (const Directive& one : directives) {
    // #embed is refused with its target.
    if (one.name != "embed" && !is_one_of(one.name, k_directives)) {
      problems.push_back(refused_directive(one));
    }
  }
  check_macros_before_includes(directives, problems);
  check_characters(source, problems);
  return problems;
}

}  // namespace kernelloop
