#include "spec/expression.hpp"

#include "spec/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace kernelloop {
namespace {

using testing::HasSubstr;

constexpr std::int64_t k_smallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t k_greatest = std::numeric_limits<std::int64_t>::max();

std::int64_t value_of(const std::string& text, const Bindings& bindings = {}) {
  return Expression::parse(text).evaluate(bindings);
}

// "offset: message", or "no error".
std::string error_of(const std::string& text, const Bindings& bindings = {}) {
  try {
    value_of(text, bindings);
  } catch (const ExpressionError& error) {
    return std::to_string(error.offset()) + ": " + error.what();
  }
  return "no error";
}

TEST(Expression, PrecedenceIsThatOfC) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("10 - 4 - 3"), 3);
  EXPECT_EQ(value_of("100 / 10 / 5"), 2);
  EXPECT_EQ(value_of("17 % 5 * 2"), 4);
  EXPECT_EQ(value_of("-2 * -3"), 6);
  EXPECT_EQ(value_of("1 + 1 < 3 == 1"), 1);
  EXPECT_EQ(value_of("1 || 0 && 0"), 1);
  EXPECT_EQ(value_of("!0 + 1"), 2);
  EXPECT_EQ(value_of("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(value_of("1 ? 0 ? 4 : 5 : 6"), 5);
  EXPECT_EQ(value_of("- - 4"), 4);
  EXPECT_EQ(value_of("+4"), 4);
}

TEST(Expression, DivisionTruncatesLikeC) {
  EXPECT_EQ(value_of("-7 / 2"), -3);
  EXPECT_EQ(value_of("-7 % 2"), -1);
  EXPECT_EQ(value_of("7 / -2"), -3);
}

TEST(Expression, Functions) {
  EXPECT_EQ(value_of("ceil_div(10, 4)"), 3);
  EXPECT_EQ(value_of("ceil_div(8, 4)"), 2);
  EXPECT_EQ(value_of("ceil_div(0, 4)"), 0);
  EXPECT_EQ(value_of("ceil_div(-10, 4)"), -2);
  EXPECT_EQ(value_of("ceil_div(9223372036854775807, 2)"), 4611686018427387904);
  EXPECT_EQ(value_of("min(3, 1, 2)"), 1);
  EXPECT_EQ(value_of("max(3, 1 + 4, 2)"), 5);
  EXPECT_EQ(value_of("min(7)"), 7);
}

TEST(Expression, ComparisonsGiveZeroOrOne) {
  const Bindings bindings{{"a", 3}, {"b", 4}};
  EXPECT_EQ(value_of("a<b", bindings), 1);
  EXPECT_EQ(value_of("a<=b", bindings), 1);
  EXPECT_EQ(value_of("a>b", bindings), 0);
  EXPECT_EQ(value_of("a>=b", bindings), 0);
  EXPECT_EQ(value_of("a==b", bindings), 0);
  EXPECT_EQ(value_of("a!=b", bindings), 1);
  EXPECT_EQ(value_of("a && 0", bindings), 0);
  EXPECT_EQ(value_of("a && b", bindings), 1);
  EXPECT_EQ(value_of("0 || b", bindings), 1);
}

TEST(Expression, WhatIsNotReachedIsNotEvaluated) {
  EXPECT_EQ(value_of("0 && 1 / 0"), 0);
  EXPECT_EQ(value_of("1 || 1 / 0"), 1);
  EXPECT_EQ(value_of("1 ? 2 : 1 / 0"), 2);
  EXPECT_EQ(value_of("0 ? 1 / 0 : 2"), 2);
  EXPECT_EQ(value_of("1 || unbound"), 1);
}

TEST(Expression, KnowsItsNames) {
  const Expression expression = Expression::parse("rows * min(cols, rows) + _x9");
  EXPECT_THAT(expression.names(), testing::ElementsAre("_x9", "cols", "rows"));
  EXPECT_EQ(expression.text(), "rows * min(cols, rows) + _x9");
}

TEST(Expression, OverflowIsAnErrorWithItsPlace) {
  EXPECT_EQ(error_of("9223372036854775807 + 1"), "20: the value does not fit into 64 bits");
  EXPECT_EQ(error_of("1 - -9223372036854775808"), "2: the value does not fit into 64 bits");
  EXPECT_EQ(error_of("4294967296 * 4294967296"), "11: the value does not fit into 64 bits");
  EXPECT_EQ(error_of("-9223372036854775808 / -1"), "21: the value does not fit into 64 bits");
  EXPECT_EQ(error_of("-9223372036854775808 % -1"), "21: the value does not fit into 64 bits");
  EXPECT_EQ(error_of("-a", {{"a", k_smallest}}), "0: the value does not fit into 64 bits");
  EXPECT_EQ(error_of("1 + 9223372036854775808"), "4: the number does not fit into 64 bits");
  EXPECT_EQ(error_of("99999999999999999999999"), "0: the number does not fit into 64 bits");
  EXPECT_EQ(value_of("-9223372036854775808"), k_smallest);
  EXPECT_EQ(value_of("9223372036854775807"), k_greatest);
}

TEST(Expression, DivisionByZeroIsAnError) {
  EXPECT_EQ(error_of("1 / 0"), "2: division by zero");
  EXPECT_EQ(error_of("a % (b - b)", {{"a", 1}, {"b", 2}}), "2: division by zero");
  EXPECT_EQ(error_of("ceil_div(1, 0)"), "0: division by zero");
  EXPECT_EQ(error_of("ceil_div(1, -2)"), "0: ceil_div by a negative number");
}

TEST(Expression, ANameWithoutValueIsAnError) {
  EXPECT_EQ(error_of("a + b", {{"a", 1}}), "4: `b` has no value here");
}

TEST(Expression, SyntaxErrorsPointAtTheirPlace) {
  EXPECT_EQ(error_of(""), "0: the expression is empty");
  EXPECT_EQ(error_of("   "), "0: the expression is empty");
  EXPECT_EQ(error_of("rows * * cols"), "7: expected a number, a name or `(`, found `*`");
  EXPECT_EQ(error_of("(1 + 2"), "6: expected `)`, found the end");
  EXPECT_EQ(error_of("1 + 2)"), "5: expected an operator or the end, found `)`");
  EXPECT_EQ(error_of("1 ? 2"), "5: expected `:`, found the end");
  EXPECT_EQ(error_of("a b"), "2: expected an operator or the end, found `b`");
  EXPECT_EQ(error_of("a = 1"), "2: expected an operator or the end, found `=`");
  EXPECT_EQ(error_of("a & b"), "2: expected an operator or the end, found `&`");
  EXPECT_EQ(error_of("1.5"), "0: only decimal integers are allowed");
  EXPECT_EQ(error_of("0x10"), "0: only decimal integers are allowed");
  EXPECT_EQ(error_of("2 rows"), "2: expected an operator or the end, found `r`");
  EXPECT_EQ(error_of("1 + \xC3\xA4"), "4: expected a number, a name or `(`, found byte 0xC3");
  EXPECT_EQ(error_of(std::string("1\0", 2)), "1: expected an operator or the end, found byte 0x00");
  EXPECT_EQ(error_of("log(1)"), "0: there is no function `log`; known are ceil_div, min and max");
  EXPECT_EQ(error_of("ceil_div(1)"), "0: ceil_div takes 2 arguments, not 1");
  EXPECT_EQ(error_of("ceil_div(1, 2, 3)"), "0: ceil_div takes 2 arguments, not 3");
  EXPECT_EQ(error_of("min()"), "4: expected a number, a name or `(`, found `)`");
  EXPECT_EQ(error_of("1 + min"), "4: `min` is a function; write min(a, b)");
}

TEST(Expression, DepthAndLengthAreLimited) {
  EXPECT_THAT(error_of(std::string(100000, '(')), HasSubstr("longer than 4096"));
  EXPECT_THAT(error_of(std::string(4000, '(')), HasSubstr("nested deeper than 128 levels"));
  EXPECT_THAT(error_of(std::string(4000, '-') + "1"), HasSubstr("nested deeper than 128 levels"));
  EXPECT_THAT(error_of(std::string(4000, '!') + "1"), HasSubstr("nested deeper than 128 levels"));
  std::string conditional;
  for (int i = 0; i < 800; ++i) conditional += "1?1:";
  EXPECT_THAT(error_of(conditional + "1"), HasSubstr("nested deeper than 128 levels"));
  // A long chain is no nesting.
  std::string chain = "1";
  while (chain.size() < 4090) chain += "+1";
  EXPECT_EQ(value_of(chain), static_cast<std::int64_t>(chain.size() / 2 + 1));
}

TEST(Expression, ConstantsSurvive) {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-5}, k_smallest, k_greatest}) {
    const Expression constant = Expression::constant(value);
    EXPECT_EQ(constant.evaluate({}), value);
    EXPECT_EQ(Expression::parse(constant.text()).evaluate({}), value);
    EXPECT_TRUE(constant.names().empty());
  }
}

TEST(Expression, AnUnsetExpressionSaysSo) {
  EXPECT_THROW(static_cast<void>(Expression().evaluate({})), ExpressionError);
  EXPECT_THROW(static_cast<void>(Expression().to_cpp()), ExpressionError);
}

TEST(Expression, PrintsCpp) {
  EXPECT_EQ(Expression::parse("rows*2+1").to_cpp(), "((rows * std::int64_t{2}) + std::int64_t{1})");
  EXPECT_EQ(Expression::parse("a<b").to_cpp(), "static_cast<std::int64_t>((a < b))");
  EXPECT_EQ(Expression::parse("min(a,b,c)").to_cpp(),
            "kernelloop::detail::min(kernelloop::detail::min(a, b), c)");
  EXPECT_EQ(Expression::parse("ceil_div(a, 4)").to_cpp(),
            "kernelloop::detail::ceil_div(a, std::int64_t{4})");
}

// The printed text, compiled by this very compiler: macros would hide it, so it stands here twice.
TEST(Expression, PrintedCppIsThisCode) {
  const Bindings bindings{{"a", 7}, {"b", -3}};
  const Expression expression = Expression::parse("!a || b < 0 && a % 4 != 2 ? -a - b * 2 : 9");
  const std::int64_t a = 7;
  const std::int64_t b = -3;
  EXPECT_EQ(expression.to_cpp(),
            "((static_cast<std::int64_t>((static_cast<std::int64_t>(a == 0) != 0) || "
            "(static_cast<std::int64_t>((static_cast<std::int64_t>((b < std::int64_t{0})) != 0) && "
            "(static_cast<std::int64_t>(((a % std::int64_t{4}) != std::int64_t{2})) != 0)) != 0)) "
            "!= 0) ? ((-a) - (b * std::int64_t{2})) : std::int64_t{9})");
  const std::int64_t compiled =
      ((static_cast<std::int64_t>(
            (static_cast<std::int64_t>(a == 0) != 0) ||
            (static_cast<std::int64_t>(
                 (static_cast<std::int64_t>((b < std::int64_t{0})) != 0) &&
                 (static_cast<std::int64_t>(((a % std::int64_t{4}) != std::int64_t{2})) != 0)) !=
             0)) != 0)
           ? ((-a) - (b * std::int64_t{2}))
           : std::int64_t{9});
  EXPECT_EQ(expression.evaluate(bindings), compiled);
}

TEST(Expression, KnowsItsIntegersAndTheParts) {
  const Expression both = Expression::parse("(a > 2100 && b % 64 == 37) && !(a == 5 || c < 2100)");
  EXPECT_EQ(both.constants(), (std::set<std::int64_t>{5, 37, 64, 2100}));
  const std::vector<Expression> parts = both.conjuncts();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].names(), std::set<std::string>{"a"});
  EXPECT_EQ(parts[1].names(), std::set<std::string>{"b"});
  EXPECT_EQ(parts[2].names(), (std::set<std::string>{"a", "c"}));
  EXPECT_EQ(parts[1].evaluate({{"b", 101}}), 1);
  EXPECT_EQ(Expression::parse("a || b").conjuncts().size(), 1U);
  EXPECT_TRUE(Expression().conjuncts().empty());
  EXPECT_TRUE(Expression().constants().empty());
}

TEST(Expression, FollowsTheValuesThatItIsBoundTo) {
  Bindings bindings{{"a", 2}, {"b", 3}};
  const Expression whole = Expression::parse("b * 10 + (a < 5)");
  const Expression::Bound bound = whole.bind(bindings);
  EXPECT_EQ(bound.evaluate(), 31);
  bindings["a"] = 7;
  bindings["b"] = 4;
  EXPECT_EQ(bound.evaluate(), 40);
  EXPECT_EQ(whole.parts().back().bind(bindings).evaluate(), 0);
  EXPECT_THROW((void)whole.bind({{"a", 1}}).evaluate(), ExpressionError);
  EXPECT_THROW((void)Expression().bind(bindings), ExpressionError);
}

TEST(Expression, HasParts) {
  std::vector<std::string> parts;
  for (const Expression& part : Expression::parse("a - (b * 2 == 6)").parts()) {
    parts.push_back(part.to_cpp());
  }
  EXPECT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts.back(), Expression::parse("b * 2").to_cpp());
  EXPECT_EQ(Expression::parse("a - (b * 2 == 6)").parts()[1].names(), std::set<std::string>{"b"});
  EXPECT_TRUE(Expression::parse("a").parts().empty());
  EXPECT_TRUE(Expression().parts().empty());
}

TEST(ExpressionOver, UnknownNamesPointAtTheirPlace) {
  try {
    parse_expression_over("cols + rowz", {"rows", "cols"}, "axis");
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_STREQ(error.what(), "unknown axis `rowz`; did you mean `rows`?");
    EXPECT_EQ(error.offset(), 7U);
    EXPECT_EQ(describe(error, "cols + rowz"),
              "in \"cols + rowz\", offset 7: unknown axis `rowz`; did you mean `rows`?");
  }
  EXPECT_NO_THROW(parse_expression_over("cols + rows", {"rows", "cols"}, "axis"));
}

TEST(ExpressionOver, ALongTextIsCutBetweenCharacters) {
  const ExpressionError error("wrong", 3);
  std::string text(199, 'a');
  text += "\xC3\xA4\xC3\xA4";
  EXPECT_THAT(describe(error, text),
              testing::StartsWith("in \"" + std::string(199, 'a') + "...\""));
}

}  // namespace
}  // namespace kernelloop
