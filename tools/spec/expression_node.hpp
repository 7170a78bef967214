// The tree of a parsed expression. Private to the expression*.cpp files.
#pragma once

#include "spec/expression.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kernelloop {

enum class Operator {
  constant,
  name,
  negate,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  conditional,
  ceil_div,
  min,
  max,
};

struct Expression::Node {
  Operator what = Operator::constant;
  std::size_t offset = 0;  // of the operator, name or number in the text
  std::int64_t value = 0;  // constant
  std::string name;        // name
  std::size_t place = 0;   // name: among those of the whole expression, in order
  std::vector<std::unique_ptr<Node>> operands;
};

// Throws ExpressionError; the names that occur are added to `names`.
std::unique_ptr<Expression::Node> parse_expression(std::string_view text,
                                                   std::set<std::string>& names);

}  // namespace kernelloop
