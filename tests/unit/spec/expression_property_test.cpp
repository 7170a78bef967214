// Random expressions: the parsed tree against a second evaluation that never sees the text.
#include "spec/expression.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

// 128 bits: wide enough that nothing below overflows.
__extension__ typedef __int128 Wide;

// A random expression with its text and its value, computed in 128 bits while it is built.
struct Sample {
  std::string text;
  std::optional<Wide> value;  // none: evaluating it is an error
  int precedence = 9;         // of the outermost operator; 9: never needs parentheses
};

bool fits(Wide value) { return value == static_cast<std::int64_t>(value); }

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Sample any(int depth) {
    if (depth == 0) return leaf();
    switch (pick(6)) {
      case 0:
        return leaf();
      case 1:
        return unary(depth);
      case 2:
        return function(depth);
      case 3:
        return conditional(depth);
      default:
        return binary(depth);
    }
  }

  const Bindings bindings{{"a", 0}, {"rows", 7}, {"_b1", -12}, {"huge", 4611686018427387904}};

 private:
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  std::string space() {
    return std::vector<std::string>{"", " ", "\t", " \n "}[static_cast<std::size_t>(pick(4))];
  }

  Sample leaf() {
    if (pick(2) == 0) {
      const std::int64_t number = pick(10) == 0 ? 9223372036854775807 : pick(20);
      return {std::to_string(number), number, 9};
    }
    auto it = bindings.begin();
    std::advance(it, pick(static_cast<int>(bindings.size())));
    return {it->first, it->second, 9};
  }

  // Parentheses where they are needed, and at times where they are not.
  std::string inside(const Sample& sample, int precedence) {
    if (sample.precedence >= precedence && pick(4) != 0) return sample.text;
    return "(" + space() + sample.text + space() + ")";
  }

  Sample unary(int depth) {
    const Sample operand = any(depth - 1);
    if (pick(2) == 0) {
      std::optional<Wide> value;
      if (operand.value) value = *operand.value == 0 ? 1 : 0;
      return {"!" + space() + inside(operand, 8), value, 8};
    }
    std::optional<Wide> value;
    if (operand.value && fits(-*operand.value)) value = -*operand.value;
    return {"-" + space() + inside(operand, 8), value, 8};
  }

  Sample function(int depth) {
    const Sample left = any(depth - 1);
    const Sample right = any(depth - 1);
    const int which = pick(3);
    const std::string name = which == 0 ? "min" : which == 1 ? "max" : "ceil_div";
    std::optional<Wide> value;
    if (left.value && right.value) {
      if (which == 0) value = std::min(*left.value, *right.value);
      if (which == 1) value = std::max(*left.value, *right.value);
      if (which == 2 && *right.value > 0) {
        // The least q with q * right >= left.
        Wide quotient = *left.value / *right.value;
        while (quotient * *right.value < *left.value) ++quotient;
        value = quotient;
      }
    }
    return {name + space() + "(" + left.text + space() + "," + space() + right.text + ")", value,
            9};
  }

  Sample conditional(int depth) {
    const Sample condition = any(depth - 1);
    const Sample yes = any(depth - 1);
    const Sample no = any(depth - 1);
    std::optional<Wide> value;
    if (condition.value) value = *condition.value != 0 ? yes.value : no.value;
    return {inside(condition, 1) + space() + "?" + space() + yes.text + space() + ":" + space() +
                inside(no, 0),
            value, 0};
  }

  Sample binary(int depth) {
    struct Kind {
      const char* text;
      int precedence;
    };
    static const std::vector<Kind> kinds{{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4},
                                         {"<=", 4}, {">", 4},  {">=", 4}, {"+", 5},  {"-", 5},
                                         {"*", 6},  {"/", 6},  {"%", 6}};
    const Kind kind = kinds[static_cast<std::size_t>(pick(static_cast<int>(kinds.size())))];
    const Sample left = any(depth - 1);
    const Sample right = any(depth - 1);
    return {inside(left, kind.precedence) + space() + kind.text + space() +
                inside(right, kind.precedence + 1),
            combine(kind.text, left.value, right.value), kind.precedence};
  }

  static std::optional<Wide> combine(const std::string& kind, std::optional<Wide> left,
                                     std::optional<Wide> right) {
    if (!left) return std::nullopt;
    if (kind == "&&" && *left == 0) return 0;
    if (kind == "||" && *left != 0) return 1;
    if (!right) return std::nullopt;
    const Wide a = *left;
    const Wide b = *right;
    std::optional<Wide> result;
    if (kind == "&&" || kind == "||") result = b != 0 ? 1 : 0;
    if (kind == "==") result = a == b ? 1 : 0;
    if (kind == "!=") result = a != b ? 1 : 0;
    if (kind == "<") result = a < b ? 1 : 0;
    if (kind == "<=") result = a <= b ? 1 : 0;
    if (kind == ">") result = a > b ? 1 : 0;
    if (kind == ">=") result = a >= b ? 1 : 0;
    if (kind == "+") result = a + b;
    if (kind == "-") result = a - b;
    if (kind == "*") result = a * b;
    if (kind == "/" && b != 0) result = a / b;
    if (kind == "%" && b != 0 && fits(a / b)) result = a % b;
    if (result && !fits(*result)) return std::nullopt;
    return result;
  }

  std::mt19937 random_;
};

TEST(ExpressionProperty, EvaluatesLikeASecondEvaluation) {
  Generator generator(7);
  int errors = 0;
  constexpr int k_samples = 20000;
  for (int i = 0; i < k_samples; ++i) {
    const Sample sample = generator.any(i % 6);
    std::optional<std::int64_t> value;
    try {
      value = Expression::parse(sample.text).evaluate(generator.bindings);
    } catch (const ExpressionError& error) {
      ASSERT_FALSE(sample.value) << sample.text << "\n" << error.what();
      ASSERT_LT(error.offset(), sample.text.size()) << sample.text;
      ++errors;
      continue;
    }
    ASSERT_TRUE(sample.value) << sample.text;
    ASSERT_EQ(*value, static_cast<std::int64_t>(*sample.value)) << sample.text;
  }
  // Both outcomes were really tried.
  EXPECT_GT(errors, k_samples / 100);
  EXPECT_LT(errors, k_samples / 2);
}

}  // namespace
}  // namespace kernelloop
