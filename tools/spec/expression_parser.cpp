#include "spec/expression_node.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

namespace kernelloop {
namespace {

using NodePtr = std::unique_ptr<Expression::Node>;

// Both bound the depth of the tree, and so the stack of everything that walks it.
constexpr std::size_t k_longest_text = 4096;
constexpr int k_deepest_nesting = 128;

struct OperatorToken {
  std::string_view text;
  Operator what;
};

// Binary operators by precedence, loosest first; the longer token of a common beginning first.
using Level = std::array<OperatorToken, 4>;
constexpr std::array<Level, 6> k_levels{{
    {{{"||", Operator::logical_or}}},
    {{{"&&", Operator::logical_and}}},
    {{{"==", Operator::equal}, {"!=", Operator::not_equal}}},
    {{{"<=", Operator::less_equal},
      {">=", Operator::greater_equal},
      {"<", Operator::less},
      {">", Operator::greater}}},
    {{{"+", Operator::add}, {"-", Operator::subtract}}},
    {{{"*", Operator::multiply}, {"/", Operator::divide}, {"%", Operator::remainder}}},
}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  Parser(std::string_view text, std::set<std::string>& names) : text_(text), names_(names) {}

  NodePtr whole() {
    if (text_.size() > k_longest_text) {
      throw ExpressionError(
          fmt::format("longer than {} characters; split it into expression axes", k_longest_text),
          k_longest_text);
    }
    skip_space();
    if (at_ == text_.size()) throw ExpressionError("the expression is empty", 0);
    NodePtr root = conditional();
    if (at_ != text_.size()) wrong("expected an operator or the end");
    return root;
  }

 private:
  // Counts the nesting of one construct for as long as it is being parsed.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > k_deepest_nesting) {
        throw ExpressionError(fmt::format("nested deeper than {} levels", k_deepest_nesting),
                              parser_.at_);
      }
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  [[noreturn]] void wrong(const std::string& expectation) const {
    throw ExpressionError(fmt::format("{}, found {}", expectation, found()), at_);
  }

  [[nodiscard]] std::string found() const {
    if (at_ == text_.size()) return "the end";
    const char c = text_[at_];
    if (c > ' ' && c < 0x7F) return fmt::format("`{}`", c);
    return fmt::format("byte 0x{:02X}", static_cast<unsigned char>(c));
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool take(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    skip_space();
    return true;
  }

  void require(std::string_view token) {
    if (!take(token)) wrong(fmt::format("expected `{}`", token));
  }

  static NodePtr node(Operator what, std::size_t offset) {
    auto result = std::make_unique<Expression::Node>();
    result->what = what;
    result->offset = offset;
    return result;
  }

  NodePtr conditional() {
    const Nesting nesting(*this);
    NodePtr condition = binary(0);
    const std::size_t offset = at_;
    if (!take("?")) return condition;
    NodePtr result = node(Operator::conditional, offset);
    result->operands.push_back(std::move(condition));
    result->operands.push_back(conditional());
    require(":");
    result->operands.push_back(conditional());
    return result;
  }

  NodePtr binary(std::size_t level) {
    if (level == k_levels.size()) return unary();
    NodePtr left = binary(level + 1);
    while (true) {
      const std::size_t offset = at_;
      const OperatorToken* taken = nullptr;
      for (const OperatorToken& token : k_levels[level]) {
        if (!token.text.empty() && take(token.text)) {
          taken = &token;
          break;
        }
      }
      if (taken == nullptr) return left;
      NodePtr result = node(taken->what, offset);
      result->operands.push_back(std::move(left));
      result->operands.push_back(binary(level + 1));
      left = std::move(result);
    }
  }

  NodePtr unary() {
    const Nesting nesting(*this);
    const std::size_t offset = at_;
    if (take("-")) {
      // The smallest int64 has no positive counterpart, so its sign belongs to the number.
      if (at_ < text_.size() && is_digit(text_[at_])) return number(true, offset);
      NodePtr result = node(Operator::negate, offset);
      result->operands.push_back(unary());
      return result;
    }
    if (take("+")) return unary();
    if (take("!")) {
      NodePtr result = node(Operator::logical_not, offset);
      result->operands.push_back(unary());
      return result;
    }
    return primary();
  }

  NodePtr primary() {
    if (at_ < text_.size() && is_digit(text_[at_])) return number(false, at_);
    if (at_ < text_.size() && is_letter(text_[at_])) return name_or_call();
    if (take("(")) {
      NodePtr inner = conditional();
      require(")");
      return inner;
    }
    wrong("expected a number, a name or `(`");
  }

  NodePtr number(bool negative, std::size_t offset) {
    const std::size_t begin = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      const std::int64_t digit = text_[at_] - '0';
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_sub_overflow(value, digit, &value)) {
        throw ExpressionError("the number does not fit into 64 bits", begin);
      }
    }
    if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.')) {
      throw ExpressionError("only decimal integers are allowed", begin);
    }
    if (!negative && __builtin_sub_overflow(std::int64_t{0}, value, &value)) {
      throw ExpressionError("the number does not fit into 64 bits", begin);
    }
    skip_space();
    NodePtr result = node(Operator::constant, offset);
    result->value = value;
    return result;
  }

  NodePtr name_or_call() {
    const std::size_t offset = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    std::string name(text_.substr(offset, at_ - offset));
    skip_space();
    if (take("(")) return call(name, offset);
    if (name == "min" || name == "max" || name == "ceil_div") {
      throw ExpressionError(fmt::format("`{}` is a function; write {}(a, b)", name, name), offset);
    }
    names_.insert(name);
    NodePtr result = node(Operator::name, offset);
    result->name = std::move(name);
    return result;
  }

  NodePtr call(const std::string& name, std::size_t offset) {
    NodePtr result;
    if (name == "ceil_div") result = node(Operator::ceil_div, offset);
    if (name == "min") result = node(Operator::min, offset);
    if (name == "max") result = node(Operator::max, offset);
    if (!result) {
      throw ExpressionError(
          fmt::format("there is no function `{}`; known are ceil_div, min and max", name), offset);
    }
    do {
      result->operands.push_back(conditional());
    } while (take(","));
    require(")");
    if (result->what == Operator::ceil_div && result->operands.size() != 2) {
      throw ExpressionError(
          fmt::format("ceil_div takes 2 arguments, not {}", result->operands.size()), offset);
    }
    return result;
  }

  std::string_view text_;
  std::set<std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

NodePtr parse_expression(std::string_view text, std::set<std::string>& names) {
  return Parser(text, names).whole();
}

}  // namespace kernelloop
