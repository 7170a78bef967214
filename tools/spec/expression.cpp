#include "spec/expression.hpp"

#include "spec/expression_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kernelloop {
namespace {

using Node = Expression::Node;
using Values = Expression::Values;
constexpr std::int64_t k_smallest = std::numeric_limits<std::int64_t>::min();

std::int64_t evaluate_node(const Node& node, const Values& values);

std::int64_t operand(const Node& node, std::size_t index, const Values& values) {
  return evaluate_node(*node.operands[index], values);
}

[[noreturn]] void overflow(const Node& node) {
  throw ExpressionError("the value does not fit into 64 bits", node.offset);
}

std::int64_t divide(const Node& node, std::int64_t left, std::int64_t right) {
  if (right == 0) throw ExpressionError("division by zero", node.offset);
  if (left == k_smallest && right == -1) overflow(node);
  switch (node.what) {
    case Operator::divide:
      return left / right;
    case Operator::remainder:
      return left % right;
    default:
      if (right < 0) throw ExpressionError("ceil_div by a negative number", node.offset);
      return left / right + (left % right > 0 ? 1 : 0);
  }
}

std::int64_t arithmetic(const Node& node, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool wraps = false;
  switch (node.what) {
    case Operator::add:
      wraps = __builtin_add_overflow(left, right, &result);
      break;
    case Operator::subtract:
      wraps = __builtin_sub_overflow(left, right, &result);
      break;
    case Operator::multiply:
      wraps = __builtin_mul_overflow(left, right, &result);
      break;
    case Operator::less:
      return left < right ? 1 : 0;
    case Operator::less_equal:
      return left <= right ? 1 : 0;
    case Operator::greater:
      return left > right ? 1 : 0;
    case Operator::greater_equal:
      return left >= right ? 1 : 0;
    case Operator::equal:
      return left == right ? 1 : 0;
    case Operator::not_equal:
      return left != right ? 1 : 0;
    default:
      return divide(node, left, right);
  }
  if (wraps) overflow(node);
  return result;
}

std::int64_t extreme(const Node& node, const Values& values) {
  std::int64_t result = operand(node, 0, values);
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    const std::int64_t next = operand(node, i, values);
    result = node.what == Operator::min ? std::min(result, next) : std::max(result, next);
  }
  return result;
}

std::int64_t look_up(const Node& node, const Values& values) {
  const std::int64_t* value = values[node.place];
  if (value == nullptr) {
    throw ExpressionError(fmt::format("`{}` has no value here", node.name), node.offset);
  }
  return *value;
}

std::int64_t negated(const Node& node, std::int64_t value) {
  if (value == k_smallest) overflow(node);
  return -value;
}

std::int64_t evaluate_node(const Node& node, const Values& values) {
  switch (node.what) {
    case Operator::constant:
      return node.value;
    case Operator::name:
      return look_up(node, values);
    case Operator::negate:
      return negated(node, operand(node, 0, values));
    case Operator::logical_not:
      return operand(node, 0, values) == 0 ? 1 : 0;
    case Operator::logical_and:
      return operand(node, 0, values) != 0 && operand(node, 1, values) != 0 ? 1 : 0;
    case Operator::logical_or:
      return operand(node, 0, values) != 0 || operand(node, 1, values) != 0 ? 1 : 0;
    case Operator::conditional:
      return operand(node, operand(node, 0, values) != 0 ? 1 : 2, values);
    case Operator::min:
    case Operator::max:
      return extreme(node, values);
    default:
      return arithmetic(node, operand(node, 0, values), operand(node, 1, values));
  }
}

std::string print(const Node& node);

std::string printed(const Node& node, std::size_t index) { return print(*node.operands[index]); }

std::string print_binary(const Node& node, std::string_view symbol) {
  return fmt::format("({} {} {})", printed(node, 0), symbol, printed(node, 1));
}

// Comparisons are bool in C++ and int64 here.
std::string print_truth(const std::string& condition) {
  return fmt::format("static_cast<std::int64_t>({})", condition);
}

std::string print_extreme(const Node& node, std::string_view function) {
  std::string result = printed(node, 0);
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    result = fmt::format("kernelloop::detail::{}({}, {})", function, result, printed(node, i));
  }
  return result;
}

std::string print_constant(std::int64_t value) {
  if (value == k_smallest) return "(std::int64_t{-9223372036854775807} - 1)";
  return fmt::format("std::int64_t{{{}}}", value);
}

std::string print(const Node& node) {
  switch (node.what) {
    case Operator::constant:
      return print_constant(node.value);
    case Operator::name:
      return node.name;
    case Operator::negate:
      return fmt::format("(-{})", printed(node, 0));
    case Operator::logical_not:
      return print_truth(fmt::format("{} == 0", printed(node, 0)));
    case Operator::add:
      return print_binary(node, "+");
    case Operator::subtract:
      return print_binary(node, "-");
    case Operator::multiply:
      return print_binary(node, "*");
    case Operator::divide:
      return print_binary(node, "/");
    case Operator::remainder:
      return print_binary(node, "%");
    case Operator::less:
      return print_truth(print_binary(node, "<"));
    case Operator::less_equal:
      return print_truth(print_binary(node, "<="));
    case Operator::greater:
      return print_truth(print_binary(node, ">"));
    case Operator::greater_equal:
      return print_truth(print_binary(node, ">="));
    case Operator::equal:
      return print_truth(print_binary(node, "=="));
    case Operator::not_equal:
      return print_truth(print_binary(node, "!="));
    case Operator::logical_and:
      return print_truth(fmt::format("({} != 0) && ({} != 0)", printed(node, 0), printed(node, 1)));
    case Operator::logical_or:
      return print_truth(fmt::format("({} != 0) || ({} != 0)", printed(node, 0), printed(node, 1)));
    case Operator::conditional:
      return fmt::format("(({} != 0) ? {} : {})", printed(node, 0), printed(node, 1),
                         printed(node, 2));
    case Operator::ceil_div:
      return fmt::format("kernelloop::detail::ceil_div({}, {})", printed(node, 0),
                         printed(node, 1));
    case Operator::min:
      return print_extreme(node, "min");
    case Operator::max:
      return print_extreme(node, "max");
  }
  return {};
}

void add_constants(const Node& node, std::set<std::int64_t>& constants) {
  if (node.what == Operator::constant) constants.insert(node.value);
  for (const auto& operand : node.operands) add_constants(*operand, constants);
}

void add_names(const Node& node, std::set<std::string>& names) {
  if (node.what == Operator::name) names.insert(node.name);
  for (const auto& operand : node.operands) add_names(*operand, names);
}

void set_places(Node& node, const std::vector<std::string>& names) {
  if (node.what == Operator::name) {
    const auto found = std::lower_bound(names.begin(), names.end(), node.name);
    node.place = static_cast<std::size_t>(found - names.begin());
  }
  for (const auto& operand : node.operands) set_places(*operand, names);
}

void add_parts(const Node& node, std::vector<const Node*>& parts) {
  if (node.operands.empty()) return;
  parts.push_back(&node);
  for (const auto& operand : node.operands) add_parts(*operand, parts);
}

void add_conjuncts(const Node& node, std::vector<const Node*>& conjuncts) {
  if (node.what != Operator::logical_and) {
    conjuncts.push_back(&node);
    return;
  }
  for (const auto& operand : node.operands) add_conjuncts(*operand, conjuncts);
}

}  // namespace

Expression Expression::parse(std::string_view text) {
  Expression result;
  std::unique_ptr<Node> root = parse_expression(text, result.names_);
  result.places_ =
      std::make_shared<std::vector<std::string>>(result.names_.begin(), result.names_.end());
  set_places(*root, *result.places_);
  result.root_ = std::move(root);
  result.text_ = text;
  return result;
}

Expression Expression::constant(std::int64_t value) { return parse(std::to_string(value)); }

std::int64_t Expression::Bound::evaluate() const { return evaluate_node(*root_, values_); }

Expression::Bound Expression::bind(const Bindings& bindings) const {
  if (!root_) throw ExpressionError("the expression is empty", 0);
  Values values;
  for (const std::string& name : *places_) {
    const auto found = bindings.find(name);
    values.push_back(found == bindings.end() ? nullptr : &found->second);
  }
  return {root_, std::move(values)};
}

std::int64_t Expression::evaluate(const Bindings& bindings) const {
  return bind(bindings).evaluate();
}

std::set<std::int64_t> Expression::constants() const {
  std::set<std::int64_t> constants;
  if (root_) add_constants(*root_, constants);
  return constants;
}

std::vector<Expression> Expression::below(const std::vector<const Node*>& nodes) const {
  std::vector<Expression> result;
  for (const Node* node : nodes) {
    Expression& part = result.emplace_back();
    part.root_ = std::shared_ptr<const Node>(root_, node);  // owned by the whole
    part.places_ = places_;
    add_names(*node, part.names_);
  }
  return result;
}

std::vector<Expression> Expression::conjuncts() const {
  std::vector<const Node*> nodes;
  if (root_) add_conjuncts(*root_, nodes);
  return below(nodes);
}

std::vector<Expression> Expression::parts() const {
  std::vector<const Node*> nodes;
  if (root_) add_parts(*root_, nodes);
  return below(nodes);
}

std::string Expression::to_cpp() const {
  if (!root_) throw ExpressionError("the expression is empty", 0);
  return print(*root_);
}

}  // namespace kernelloop
