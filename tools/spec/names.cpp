#include "spec/names.hpp"

#include "support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace kernelloop {

extern const std::string_view k_taken_names;  // taken_names.txt

namespace {

constexpr std::array k_keywords = std::to_array<std::string_view>({
    "alignas",       "alignof",     "and",
    "and_eq",        "asm",         "auto",
    "bitand",        "bitor",       "bool",
    "break",         "case",        "catch",
    "char",          "char16_t",    "char32_t",
    "char8_t",       "class",       "co_await",
    "co_return",     "co_yield",    "compl",
    "concept",       "const",       "const_cast",
    "consteval",     "constexpr",   "constinit",
    "continue",      "decltype",    "default",
    "delete",        "do",          "double",
    "dynamic_cast",  "else",        "enum",
    "explicit",      "export",      "extern",
    "false",         "float",       "for",
    "friend",        "goto",        "if",
    "inline",        "int",         "long",
    "mutable",       "namespace",   "new",
    "noexcept",      "not",         "not_eq",
    "nullptr",       "operator",    "or",
    "or_eq",         "private",     "protected",
    "public",        "register",    "reinterpret_cast",
    "requires",      "return",      "short",
    "signed",        "sizeof",      "static",
    "static_assert", "static_cast", "struct",
    "switch",        "template",    "this",
    "thread_local",  "throw",       "true",
    "try",           "typedef",     "typeid",
    "typename",      "union",       "unsigned",
    "using",         "virtual",     "void",
    "volatile",      "wchar_t",     "while",
    "xor",           "xor_eq",
});

// Families of names that headers of CUDA and of KernelLoop use.
constexpr std::array k_taken_prefixes = std::to_array<std::string_view>(
    {"cuda", "CUDA", "CU_", "NV_", "kl_", "KL_", "kernelloop_", "KERNELLOOP_"});

// The words of taken_names.txt without its comments.
std::set<std::string_view> taken_names() {
  std::set<std::string_view> names;
  for (std::string_view left = k_taken_names; !left.empty();) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (line.starts_with('#')) continue;
    while (!line.empty()) {
      const std::size_t length = std::min(line.find(' '), line.size());
      if (length > 0) names.insert(line.substr(0, length));
      line.remove_prefix(std::min(length + 1, line.size()));
    }
  }
  return names;
}

bool is_taken(std::string_view name) {
  static const std::set<std::string_view> k_taken = taken_names();
  return k_taken.contains(name) ||
         std::any_of(k_taken_prefixes.begin(), k_taken_prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool contains(const auto& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !digit(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

bool is_reserved(std::string_view name) {
  const bool leading = name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z';
  return leading || name.find("__") != std::string_view::npos;
}

// Where `name` stands as a whole word.
std::size_t offset_of(std::string_view text, const std::string& name) {
  const auto in_word = [&](std::size_t at) {
    const char c = at < text.size() ? text[at] : ' ';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + name.size())) return at;
  }
  return 0;
}

}  // namespace

std::string name_fault(std::string_view name) {
  if (!is_identifier(name)) {
    return "is not a C identifier; use letters, digits and `_`, and no digit first";
  }
  if (contains(k_keywords, name)) return "is a keyword of C++; choose another name";
  if (is_reserved(name)) {
    return "is reserved in C++ (`__`, or `_` with a capital letter); choose another name";
  }
  if (is_taken(name)) {
    return "has a meaning in CUDA, in C++ or in generated code; choose another name";
  }
  return {};
}

Expression parse_expression_over(std::string_view text, const std::vector<std::string>& names,
                                 std::string_view kind) {
  Expression expression = Expression::parse(text);
  for (const std::string& name : expression.names()) {
    if (contains(names, name)) continue;
    throw ExpressionError(fmt::format("unknown {} `{}`; {}", kind, name, name_hint(name, names)),
                          offset_of(text, name));
  }
  return expression;
}

std::string describe(const ExpressionError& error, std::string_view text) {
  constexpr std::size_t k_shown = 200;
  // Cut between characters, not inside one.
  std::size_t length = std::min(text.size(), k_shown);
  while (length < text.size() && length > 0 && (text[length] & 0xC0) == 0x80) --length;
  std::string shown(text.substr(0, length));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  return fmt::format("in \"{}{}\", offset {}: {}", shown, length < text.size() ? "..." : "",
                     error.offset(), error.what());
}

}  // namespace kernelloop
