#include "verify/error_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"

#include <cmath>
#include <functional>

namespace kernelloop {
namespace {

using samples::Problem;
using samples::Values;
using testing::HasSubstr;
using testing::StartsWith;

std::string pattern_when_wrong(std::int64_t rows, std::int64_t cols,
                               const std::function<bool(std::int64_t, std::int64_t)>& is_wrong) {
  const Problem problem = samples::rmsnorm_problem(rows, cols);
  Values values = samples::rmsnorm_in_float(problem);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < cols; ++column) {
      if (is_wrong(row, column)) values[static_cast<std::size_t>(row * cols + column)] += 1.0;
    }
  }
  return samples::judge(problem, values).pattern;
}

TEST(Pattern, NamesTheTailOfTheColumns) {
  for (const auto& [cols, tile] :
       {std::pair{100, 8}, {100, 32}, {1000, 256}, {1000, 128}, {70, 64}}) {
    const std::int64_t first = cols / tile * tile;
    EXPECT_THAT(pattern_when_wrong(8, cols, [&](auto, auto column) { return column >= first; }),
                StartsWith("only columns from " + std::to_string(first) +
                           " on (the tail beyond a multiple of "));
  }
}

TEST(Pattern, NamesTheLastRows) {
  EXPECT_THAT(pattern_when_wrong(50, 40, [](auto row, auto) { return row >= 47; }),
              StartsWith("only the last 3 rows, from 47 on; 120 of 2000 elements"));
}

TEST(Pattern, NamesEveryNthRow) {
  EXPECT_THAT(pattern_when_wrong(40, 40, [](auto row, auto) { return row % 4 == 1; }),
              StartsWith("only every 4th row, from 1 on"));
}

TEST(Pattern, NamesOneWarp) {
  EXPECT_THAT(pattern_when_wrong(4, 1024, [](auto, auto column) { return column % 256 / 32 == 3; }),
              StartsWith("only columns 96 to 127 of every 256 (what warp 3 of a block handles"));
}

TEST(Pattern, NamesASingleRowAndARangeOfColumns) {
  EXPECT_THAT(pattern_when_wrong(40, 40, [](auto row, auto) { return row == 7; }),
              StartsWith("only row 7 of 40"));
  EXPECT_THAT(
      pattern_when_wrong(4, 90, [](auto, auto column) { return column >= 5 && column < 19; }),
      StartsWith("only columns 5 to 18 of 90"));
}

TEST(Pattern, SaysScatteredAndEverywhere) {
  EXPECT_THAT(pattern_when_wrong(
                  40, 41, [](auto row, auto column) { return (row * 7 + column * 13) % 11 == 0; }),
              StartsWith("scattered; "));
  EXPECT_EQ(pattern_when_wrong(40, 40, [](auto, auto) { return true; }), "everywhere");
}

TEST(Pattern, NamesAConstantFactor) {
  const Problem problem = samples::softmax_problem(16, 100);
  Values values = samples::softmax_in_float(problem);
  for (double& value : values) value *= 3.0;
  EXPECT_THAT(
      samples::judge(problem, values).pattern,
      testing::MatchesRegex("every element is (3|2\\.999|3\\.00[01]) times what it should be"));
}

TEST(Pattern, NamesAShift) {
  const Problem problem = samples::rmsnorm_problem(16, 100);
  const Values values = samples::rmsnorm_in_float(problem);
  const auto shifted = [&](std::ptrdiff_t distance) {
    Values moved = values;
    std::rotate(moved.begin(), moved.begin() + distance, moved.end());
    return samples::judge(problem, moved).pattern;
  };
  const auto whole = static_cast<std::ptrdiff_t>(values.size());
  EXPECT_EQ(shifted(1), "shifted: each element holds the value of the one after it");
  EXPECT_EQ(shifted(whole - 1), "shifted: each element holds the value of the one before it");
  EXPECT_EQ(shifted(100), "shifted: each row holds the values of the row after it");
  EXPECT_EQ(shifted(whole - 100), "shifted: each row holds the values of the row before it");
}

TEST(Pattern, NamesUnwrittenElements) {
  const Problem problem = samples::softmax_problem(16, 100);
  const Values values = samples::softmax_in_float(problem);
  EXPECT_EQ(samples::judge(problem, values, [](auto) { return true; }).pattern,
            "not written at all");
  EXPECT_EQ(samples::judge(problem, values, [](auto i) { return i % 100 >= 96; }).pattern,
            "64 of 1600 elements were never written: only columns from 96 on (the tail beyond a "
            "multiple of 32); 64 of 1600 elements");
}

TEST(Pattern, NamesAnErrorSpreadEvenly) {
  const Problem problem = samples::softmax_problem(16, 100);
  Values values = samples::softmax_in_float(problem);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= i % 2 == 0 ? 1.0035 : 0.9965;
  EXPECT_THAT(samples::judge(problem, values).pattern, StartsWith("no element is far off"));
}

std::string pattern_of(const Problem& problem, const std::function<double(std::size_t)>& value) {
  Values values(problem.expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i);
  return samples::judge(problem, values).pattern;
}

TEST(Pattern, NamesATransposition) {
  const Problem problem = samples::rmsnorm_problem(24, 40);
  const Values values = samples::rmsnorm_in_float(problem);
  EXPECT_EQ(pattern_of(problem, [&](std::size_t i) { return values[i % 24 * 40 + i / 24]; }),
            "transposed: the values of the 24 x 40 matrix stand column by column");
}

TEST(Pattern, NamesRowsThatAreAllAlike) {
  const Problem problem = samples::rmsnorm_problem(24, 40);
  const Values values = samples::rmsnorm_in_float(problem);
  EXPECT_EQ(pattern_of(problem, [&](std::size_t i) { return values[i % 40]; }),
            "every row is the same: the row's own index is not used");
}

TEST(Pattern, NamesAWrongSign) {
  const Problem problem = samples::rmsnorm_problem(24, 40);
  const Values values = samples::rmsnorm_in_float(problem);
  EXPECT_EQ(pattern_of(problem, [&](std::size_t i) { return -values[i]; }),
            "every element has the wrong sign");
}

TEST(Pattern, NamesATermLeftOutOfEachRow) {
  const Problem problem = samples::softmax_problem(16, 40);
  const Values values = samples::softmax_in_float(problem);
  EXPECT_THAT(
      pattern_of(problem,
                 [&](std::size_t i) { return values[i] / (1.0 - values[i / 40 * 40 + 39]); }),
      testing::AllOf(HasSubstr("is off by a factor of its own, 1.0"),
                     HasSubstr("a term left out")));
}

TEST(Pattern, NamesAnOffsetOfEachRow) {
  const Problem problem = samples::rmsnorm_problem(16, 40);
  const Values values = samples::rmsnorm_in_float(problem);
  EXPECT_THAT(
      pattern_of(problem,
                 [&](std::size_t i) { return values[i] + 0.5 + static_cast<double>(i / 40); }),
      HasSubstr("is off by an amount of its own, 0."));
}

TEST(Pattern, NamesZerosInfinitiesAndCopiesWithTheirPlace) {
  const Problem problem = samples::rmsnorm_problem(16, 100);
  const Values values = samples::rmsnorm_in_float(problem);
  const auto tail_is = [&](const std::function<double(std::size_t)>& value) {
    return pattern_of(problem, [&](std::size_t i) { return i % 100 >= 96 ? value(i) : values[i]; });
  };
  EXPECT_THAT(tail_is([](std::size_t) { return 0.0; }),
              StartsWith("the wrong elements are 0: only columns from 96 on"));
  EXPECT_THAT(tail_is([](std::size_t) { return HUGE_VAL; }),
              StartsWith("the wrong elements are infinite: only columns from 96 on"));
  EXPECT_THAT(tail_is([&](std::size_t i) { return problem.inputs.at("x")[i]; }),
              StartsWith("the wrong elements are those of input 'x': only columns from 96 on"));
}

TEST(Pattern, SaysWhereNanIs) {
  const Problem problem = samples::rmsnorm_problem(16, 100);
  const Values values = samples::rmsnorm_in_float(problem);
  EXPECT_EQ(pattern_of(problem,
                       [&](std::size_t i) {
                         if (i / 100 == 3) return std::nan("1");
                         return i % 7 == 0 ? 2.0 * values[i] : values[i];
                       }),
            "100 of 1600 elements are NaN, the first at [3, 0]: only row 3 of 16; 100 of 1600 "
            "elements");
}

}  // namespace
}  // namespace kernelloop
