#include "verify/error_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"

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
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= i % 2 == 0 ? 1.018 : 0.982;
  EXPECT_THAT(samples::judge(problem, values).pattern, StartsWith("no element is far off"));
}

}  // namespace
}  // namespace kernelloop
