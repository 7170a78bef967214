#include "cpu/shared_declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace kernelloop {

namespace {

using Token = PreprocessedToken;
using Tokens = std::vector<Token>;
using Kind = PreprocessedToken::Kind;

bool takes_parentheses(const Token& token) {
  return token.is("alignas") || token.is("__attribute__") || token.is("__attribute") ||
         token.is("decltype") || token.is("typeof") || token.is("__typeof__");
}

// Nesting while walking forward over a declaration.
class Nesting {
 public:
  void enter(const Token& token) {
    if (token.kind != Kind::punctuation) return;
    if (token.is("(") || token.is("[") || token.is("{")) ++brackets_;
    if (token.is(")") || token.is("]") || token.is("}")) --brackets_;
    // Outside of brackets a declaration has no comparisons: < opens template arguments.
    if (brackets_ == 0 && token.is("<")) ++angles_;
    if (brackets_ == 0 && token.is(">") && angles_ > 0) --angles_;
  }
  [[nodiscard]] bool outside() const noexcept { return brackets_ == 0 && angles_ == 0; }

 private:
  int brackets_ = 0;
  int angles_ = 0;
};

std::vector<Tokens> split_at_commas(const Tokens& tokens) {
  std::vector<Tokens> parts(1);
  Nesting nesting;
  for (const Token& token : tokens) {
    if (nesting.outside() && token.is(",")) {
      parts.emplace_back();
      continue;
    }
    nesting.enter(token);
    parts.back().push_back(token);
  }
  return parts;
}

// Index of the variable's name in one declarator: the last identifier before its bounds, or within
// the parentheses of (*name).
std::optional<std::size_t> name_in(const Tokens& tokens) {
  std::optional<std::size_t> name;
  Nesting nesting;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool outside = nesting.outside();
    if (outside && (token.is("[") || token.is("="))) break;
    if (outside && token.is("(") && (i == 0 || !takes_parentheses(tokens[i - 1]))) {
      for (std::size_t j = i + 1; j < tokens.size() && !tokens[j].is("[") && !tokens[j].is(")");
           ++j) {
        if (tokens[j].kind == Kind::identifier) name = j;
      }
      break;
    }
    nesting.enter(token);
    if (outside && token.kind == Kind::identifier && !takes_parentheses(token)) name = i;
  }
  return name;
}

std::string join(const Tokens& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    if (!text.empty()) text += ' ';
    text += token.text;
  }
  return text;
}

// float smem[] becomes float smem[1]: the type of a member, with a bound to be taken off again.
std::string with_bound(std::string text) {
  const std::size_t open = text.find("[ ]");
  if (open != std::string::npos) text.replace(open, 3, "[1]");
  return text;
}

struct Variable {
  std::string holder;  // the declaration that its holder has
  std::string name;
  bool first_of_holder = true;
};

std::vector<Variable> variables_of(const Tokens& tokens) {
  std::vector<Tokens> parts = split_at_commas(tokens);
  std::vector<Variable> variables;
  const bool defines_type =
      std::any_of(tokens.begin(), tokens.end(), [](const Token& t) { return t.is("{"); });
  Tokens base;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::optional<std::size_t> name = name_in(parts[part]);
    if (!name) return {};
    if (part == 0) {
      const auto end =
          std::find_if(parts[0].begin(), parts[0].begin() + static_cast<std::ptrdiff_t>(*name),
                       [](const Token& t) { return t.is("*") || t.is("&"); });
      base.assign(parts[0].begin(), end);
      if (!base.empty() && base.back().is("(")) base.pop_back();
    }
    Variable variable;
    variable.name = parts[part][*name].text;
    // A type that is defined here can't be defined twice: then one holder has all variables.
    variable.holder =
        defines_type ? join(tokens) : (part == 0 ? "" : join(base) + " ") + join(parts[part]);
    variable.first_of_holder = part == 0 || !defines_type;
    variables.push_back(std::move(variable));
  }
  return variables;
}

bool ends_statement(const Token& token) {
  return token.kind == Kind::punctuation &&
         (token.is(";") || token.is("{") || token.is("}") || token.is(":"));
}

}  // namespace

DeclarationRange declaration_around(std::span<const PreprocessedToken> tokens, std::size_t at) {
  DeclarationRange range{at, at};
  while (range.begin > 0 && !ends_statement(tokens[range.begin - 1])) {
    std::size_t previous = range.begin - 1;
    if (tokens[previous].is(")")) {
      int depth = 0;
      do {
        if (tokens[previous].is(")")) ++depth;
        if (tokens[previous].is("(")) --depth;
      } while (depth != 0 && previous-- > 0);
      // if (...) and for (...) end what stands before; alignas(...) belongs to the declaration.
      if (depth != 0 || previous == 0 || !takes_parentheses(tokens[previous - 1])) break;
      --previous;
    }
    range.begin = previous;
  }
  int depth = 0;
  for (range.end = at; range.end < tokens.size(); ++range.end) {
    const Token& token = tokens[range.end];
    if (token.kind != Kind::punctuation) continue;
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}")) --depth;
    if (depth < 0) return {range.begin, tokens.size()};
    if (depth == 0 && token.is(";")) break;
  }
  return range;
}

std::string declared_name(std::span<const PreprocessedToken> declaration) {
  const Tokens first = split_at_commas(Tokens(declaration.begin(), declaration.end())).front();
  const std::optional<std::size_t> name = name_in(first);
  return name ? std::string(first[*name].text) : std::string();
}

std::string rewrite_shared(std::span<const PreprocessedToken> declaration,
                           const SharedRewrite& rewrite, std::size_t& used) {
  Tokens tokens;
  bool dynamic = false;
  for (const Token& token : declaration) {
    if (token.is("extern")) dynamic = true;
    if (token.is("extern") || token.is("static") || token.is("inline") || token.is("__shared__")) {
      continue;
    }
    tokens.push_back(token);
  }
  std::string text;
  std::size_t number = rewrite.first_number;
  for (const Variable& variable : variables_of(tokens)) {
    if (variable.first_of_holder) {
      text += fmt::format("struct kernelloop_shared_{} {{ {}; }}; ", number,
                          dynamic ? with_bound(variable.holder) : variable.holder);
      ++number;
    }
    const std::string holder = fmt::format("kernelloop_shared_{}", number - 1);
    // References to places that the linker knows: constants, which leave no variable behind.
    if (dynamic) {
      text += fmt::format(
          "static auto& {0} = reinterpret_cast<typename "
          "::kernelloop_cpu::WithoutBound<decltype({1}::{0})>::Type&>("
          "::kernelloop_cpu::dynamic_area[::kernelloop_cpu::k_shared_margin]); ",
          variable.name, holder);
      continue;
    }
    text += fmt::format(
        "static auto& {0} = reinterpret_cast<{1}&>(::kernelloop_cpu::shared_storage<{1}>.bytes[0])"
        ".{0}; ",
        variable.name, holder);
    if (!variable.first_of_holder) continue;
    if (rewrite.namespace_scope) {
      text += fmt::format(
          "static inline void {0}_register() {{ ::kernelloop_cpu::register_shared<{0}>(); }} ",
          holder);
    } else {
      text +=
          fmt::format("::kernelloop_cpu::use_shared<{}>(::kernelloop_cpu::Site{{\"{}\", {}u}}); ",
                      holder, rewrite.file, rewrite.line);
    }
  }
  used = number - rewrite.first_number;
  return text;
}

}  // namespace kernelloop
