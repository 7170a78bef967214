#include "compile/harmless_macro.hpp"

#include "compile/source_text.hpp"
#include "compile/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace kernelloop {
namespace {

// Types, and intrinsics that take the bits of a number for another type's.
constexpr std::array<std::string_view, 13> k_admitted_words{"bool",
                                                            "char",
                                                            "double",
                                                            "float",
                                                            "int",
                                                            "long",
                                                            "short",
                                                            "signed",
                                                            "sizeof",
                                                            "unsigned",
                                                            "__int_as_float",
                                                            "__uint_as_float",
                                                            "__longlong_as_double"};

bool is_decimal(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// No keyword and no name that the compiler or the libraries keep for themselves is like this.
bool is_constant_name(std::string_view name) {
  return std::isupper(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return c == '_' || is_decimal(c) || std::isupper(static_cast<unsigned char>(c)) != 0;
         });
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

// "0x1p-3f": a sign belongs to the number behind an exponent.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  const bool hexadecimal = text.substr(at, 2) == "0x" || text.substr(at, 2) == "0X";
  const std::string_view exponents = hexadecimal ? "pP" : "eE";
  while (at < text.size()) {
    const bool sign = (text[at] == '+' || text[at] == '-') &&
                      exponents.find(text[at - 1]) != std::string_view::npos;
    if (!is_word(text[at]) && text[at] != '.' && text[at] != '\'' && !sign) break;
    ++at;
  }
  return at;
}

// The parameters of "(a, b) (a + b)", which begins behind the name, and where the content begins.
// Nothing when they are not plain names.
struct Parameters {
  std::vector<std::string_view> names;
  std::size_t content = 0;
};
std::optional<Parameters> parameters_of(std::string_view text) {
  Parameters result;
  if (text.empty() || text.front() != '(') return result;
  const std::size_t close = text.find(')');
  if (close == std::string_view::npos) return std::nullopt;
  result.content = close + 1;
  for (std::size_t at = 1; at < close;) {
    const std::size_t end = std::min(text.find(',', at), close);
    const std::string_view name = trimmed(text.substr(at, end - at));
    if (name.empty() || is_decimal(name.front()) || end_of_word(name, 0) != name.size()) {
      return std::nullopt;
    }
    result.names.push_back(name);
    at = end + 1;
  }
  return result;
}

bool is_number(std::string_view content) {
  return !content.empty() && is_decimal(content.front()) &&
         end_of_number(content, 0) == content.size();
}

// Operators that change nothing, with every parenthesis closed. `knows`: names that may stand here.
template <class Knows>
bool is_arithmetic(std::string_view text, const Knows& knows) {
  constexpr std::string_view k_operators = "+-*/%<>=!&|^~?: \t";
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (is_decimal(c) || (c == '.' && is_decimal(next))) {
      at = end_of_number(text, at);
      continue;
    }
    if (is_word(c)) {
      const std::size_t end = end_of_word(text, at);
      if (!knows(text.substr(at, end - at))) return false;
      at = end;
      continue;
    }
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return false;
    if (c != '(' && c != ')' && k_operators.find(c) == std::string_view::npos) return false;
    if ((c == '+' || c == '-') && next == c) return false;
    // `=` as a part of a comparison only.
    if (c == '=') {
      const char before = at == 0 ? ' ' : text[at - 1];
      const bool shift = at >= 2 && (before == '<' || before == '>') && text[at - 2] == before;
      const bool compares = std::string_view("=!<>").find(before) != std::string_view::npos;
      if (next != '=' && (!compares || shift)) return false;
    }
    ++at;
  }
  return depth == 0;
}

}  // namespace

bool HarmlessMacros::admit(std::string_view definition) {
  const std::size_t end = end_of_word(definition, 0);
  const std::string_view name = definition.substr(0, end);
  const std::optional<Parameters> parameters = parameters_of(definition.substr(end));
  if (name.empty() || !parameters) return false;
  const std::string_view content = trimmed(definition.substr(end + parameters->content));
  const bool constant = is_constant_name(name);
  // What takes arguments could stand for a function of a header.
  if (parameters->content != 0 && !constant) return false;
  const auto knows = [&](std::string_view word) {
    return is_one_of(word, k_admitted_words) || known_.contains(word) ||
           std::find(parameters->names.begin(), parameters->names.end(), word) !=
               parameters->names.end();
  };
  if (!content.empty() && !is_number(content) && !(constant && is_arithmetic(content, knows))) {
    return false;
  }
  if (constant) known_.emplace(name);
  return true;
}

}  // namespace kernelloop
