// The expression language of op specs and launch plans: integers, names, + - * / %, comparisons,
// && || !, ?:, parentheses, ceil_div(a,b), min(a,...), max(a,...). Parsed, checked, evaluated and
// printed; never pasted as text into anything.
//
// Values are int64. `/` and `%` truncate like C. Overflow, division by zero and unknown names are
// errors, not wrap-arounds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// Axis and scalar values by name.
using Bindings = std::map<std::string, std::int64_t>;

// What is wrong with an expression, and where in its text (byte offset).
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& message, std::size_t offset)
      : std::runtime_error(message), offset_(offset) {}
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

 private:
  std::size_t offset_;
};

class Expression {
 public:
  // Throws ExpressionError.
  static Expression parse(std::string_view text);
  static Expression constant(std::int64_t value);

  // Throws ExpressionError (unknown name, overflow, division by zero).
  [[nodiscard]] std::int64_t evaluate(const Bindings& bindings) const;

  struct Node;  // private to expression*.cpp
  using Values = std::vector<const std::int64_t*>;

  // An expression with its names tied to values that may change: for many evaluations.
  class Bound {
   public:
    Bound(std::shared_ptr<const Node> root, Values values)
        : root_(std::move(root)), values_(std::move(values)) {}
    // As Expression::evaluate.
    [[nodiscard]] std::int64_t evaluate() const;

   private:
    std::shared_ptr<const Node> root_;
    Values values_;  // by Node::place; nullptr: the name has none
  };
  // The values of `bindings` must outlive it. Throws ExpressionError when the expression is empty.
  [[nodiscard]] Bound bind(const Bindings& bindings) const;

  [[nodiscard]] const std::set<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  // Every integer that stands in it.
  [[nodiscard]] std::set<std::int64_t> constants() const;

  // The operands of its outermost `&&`, all of which must hold for it to be non-zero; itself where
  // there is none. Their text() is empty.
  [[nodiscard]] std::vector<Expression> conjuncts() const;

  // Every expression that it is made of, itself first; names and numbers alone are none. Their
  // text() is empty.
  [[nodiscard]] std::vector<Expression> parts() const;

  // The same value as a C++ expression over std::int64_t variables of the same names, fully
  // parenthesised; uses kernelloop::detail::{ceil_div,min,max} of kernelloop/launcher.hpp.
  [[nodiscard]] std::string to_cpp() const;

 private:
  [[nodiscard]] std::vector<Expression> below(const std::vector<const Node*>& nodes) const;

  std::string text_;
  std::set<std::string> names_;
  std::shared_ptr<const std::vector<std::string>> places_;  // names of the whole that it is part of
  std::shared_ptr<const Node> root_;
};

}  // namespace kernelloop
