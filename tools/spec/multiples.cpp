#include "spec/multiples.hpp"

#include "spec/expression_node.hpp"

namespace kernelloop {
namespace {

using Node = Expression::Node;

bool equal(const Node& a, const Node& b) {
  if (a.what != b.what || a.value != b.value || a.name != b.name ||
      a.operands.size() != b.operands.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    if (!equal(*a.operands[i], *b.operands[i])) return false;
  }
  return true;
}

bool is_constant(const Node& node, std::int64_t value) {
  return node.what == Operator::constant && node.value == value;
}

bool is_constant_multiple(const Node& node, std::int64_t factor) {
  return node.what == Operator::constant && node.value % factor == 0;
}

// `value == c` with c a multiple of the factor, in either order.
bool says_value(const Node& condition, const Node& value, std::int64_t factor) {
  const Node& left = *condition.operands[0];
  const Node& right = *condition.operands[1];
  return (is_constant_multiple(right, factor) && equal(left, value)) ||
         (is_constant_multiple(left, factor) && equal(right, value));
}

// `value % m == 0` with m a multiple of the factor.
bool says_remainder(const Node& condition, const Node& value, std::int64_t factor) {
  const Node& left = *condition.operands[0];
  if (!is_constant(*condition.operands[1], 0) || left.what != Operator::remainder) return false;
  const Node& divisor = *left.operands[1];
  return divisor.value != 0 && is_constant_multiple(divisor, factor) &&
         equal(*left.operands[0], value);
}

bool says_multiple(const Node& condition, const Node& value, std::int64_t factor) {
  return condition.what == Operator::equal &&
         (says_value(condition, value, factor) || says_remainder(condition, value, factor));
}

bool implies_multiple(const Node& condition, const Node& value, std::int64_t factor) {
  if (condition.what != Operator::logical_and) return says_multiple(condition, value, factor);
  for (const auto& operand : condition.operands) {
    if (implies_multiple(*operand, value, factor)) return true;
  }
  return false;
}

std::optional<std::int64_t> known_value(const Expression& value, const Bindings& fixed) {
  for (const std::string& name : value.names()) {
    if (fixed.count(name) == 0) return std::nullopt;
  }
  try {
    return value.evaluate(fixed);
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

}  // namespace

bool is_multiple(const Expression& value, const std::optional<Expression>& condition,
                 std::int64_t factor, const Bindings& fixed) {
  if (const auto known = known_value(value, fixed)) return *known % factor == 0;
  if (!condition) return false;
  std::set<std::string> names;
  const auto wanted = parse_expression(value.text(), names);
  const auto said = parse_expression(condition->text(), names);
  return implies_multiple(*said, *wanted, factor);
}

}  // namespace kernelloop
