// The oracle is tested: honest results pass at every shape, mutants fail.
#include "support/error.hpp"
#include "verify/elements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace kernelloop {
namespace {

using samples::Judgement;
using samples::Problem;
using samples::Values;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<Problem> problems_of_many_shapes() {
  std::vector<Problem> problems;
  const std::vector<std::pair<std::int64_t, std::int64_t>> shapes{
      {1, 1}, {7, 2}, {3, 31}, {129, 17}, {64, 64}, {5, 1025}, {2, 8193}, {1, 65537}};
  for (const auto& [rows, cols] : shapes) {
    problems.push_back(samples::softmax_problem(rows, cols));
    problems.push_back(samples::rmsnorm_problem(rows, cols));
  }
  return problems;
}

Values honest(const Problem& problem) {
  return problem.spec.name == "softmax" ? samples::softmax_in_float(problem)
                                        : samples::rmsnorm_in_float(problem);
}

std::string name_of(const Problem& problem) {
  return problem.spec.name + " " + shape_text(problem.spec, problem.axes);
}

std::vector<Problem> problems_to_mutate() {
  return {samples::softmax_problem(96, 100), samples::rmsnorm_problem(96, 100),
          samples::softmax_problem(24, 2050), samples::rmsnorm_problem(24, 2050)};
}

TEST(Gates, AnHonestBfloat16ResultPassesAtEveryShape) {
  for (const Problem& problem : problems_of_many_shapes()) {
    const Judgement judgement = samples::judge(problem, honest(problem));
    EXPECT_TRUE(judgement.passed) << name_of(problem) << ": " << judgement.pattern;
    EXPECT_LE(judgement.gate("elementwise").value, 0.5) << name_of(problem);
  }
}

TEST(Gates, ZerosFail) {
  for (const Problem& problem : problems_to_mutate()) {
    const Judgement judgement = samples::judge(problem, Values(problem.expected.size(), 0.0));
    EXPECT_FALSE(judgement.passed) << name_of(problem);
    EXPECT_EQ(judgement.pattern, "every element is 0");
    EXPECT_DOUBLE_EQ(judgement.metrics.normwise, 1.0);
  }
}

TEST(Gates, AConstantAndTheMeanFail) {
  for (const Problem& problem : problems_to_mutate()) {
    const double mean = std::accumulate(problem.expected.begin(), problem.expected.end(), 0.0) /
                        static_cast<double>(problem.expected.size());
    for (const double value : {1.0, mean, 1.0 / static_cast<double>(problem.cols())}) {
      const Judgement judgement = samples::judge(problem, Values(problem.expected.size(), value));
      EXPECT_FALSE(judgement.passed) << name_of(problem) << " " << value;
      EXPECT_THAT(judgement.pattern, StartsWith("every element is "));
    }
  }
}

TEST(Gates, ACopiedInputFails) {
  for (const Problem& problem : problems_to_mutate()) {
    const Judgement judgement = samples::judge(problem, problem.inputs.at("x"));
    EXPECT_FALSE(judgement.passed) << name_of(problem);
    EXPECT_EQ(judgement.pattern, "the output is a copy of input 'x'");
  }
}

TEST(Gates, ASkippedTailFails) {
  for (const Problem& problem : problems_to_mutate()) {
    Values values = honest(problem);
    const std::int64_t first = problem.cols() / 64 * 64;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (static_cast<std::int64_t>(i) % problem.cols() >= first) values[i] = 0.0;
    }
    EXPECT_FALSE(samples::judge(problem, values).passed) << name_of(problem);
  }
}

TEST(Gates, RowsShiftedByOneFail) {
  for (const Problem& problem : problems_to_mutate()) {
    Values values = honest(problem);
    std::rotate(values.begin(), values.begin() + problem.cols(), values.end());
    EXPECT_FALSE(samples::judge(problem, values).passed) << name_of(problem);
  }
}

TEST(Gates, ASingleWrongElementFails) {
  for (const Problem& problem : problems_to_mutate()) {
    Values values = honest(problem);
    values[values.size() / 2] += 0.05;
    EXPECT_FALSE(samples::judge(problem, values).passed) << name_of(problem);
  }
}

TEST(Gates, ASmallOutputIsJudgedAtItsOwnScale) {
  const Problem problem = samples::softmax_problem(64, 100, 1, 1e-6);
  Values values = samples::softmax_in_float(problem);
  for (double& value : values) value *= 1e-6;
  EXPECT_TRUE(samples::judge(problem, values).passed);
  EXPECT_FALSE(samples::judge(problem, Values(values.size(), 0.0)).passed);
  for (double& value : values) value *= 1.03;
  EXPECT_FALSE(samples::judge(problem, values).passed);
}

TEST(Gates, ASmallRowIsJudgedAtItsOwnScale) {
  Problem problem = samples::rmsnorm_problem(64, 128);
  Values values = samples::rmsnorm_in_float(problem);
  for (std::size_t i = 0; i < 128; ++i) {
    problem.expected[i] *= 1e-6;
    values[i] *= 1e-6;
  }
  EXPECT_TRUE(samples::judge(problem, values).passed);
  std::fill(values.begin(), values.begin() + 128, 0.0);
  EXPECT_FALSE(samples::judge(problem, values).passed);
}

TEST(Gates, FullPrecisionRefusesALowerOne) {
  Problem problem = samples::rmsnorm_problem(32, 300);
  for (Tensor& tensor : problem.spec.inputs) tensor.dtype = DType::float32;
  problem.spec.outputs.front().dtype = DType::float32;
  const Values values = samples::rmsnorm_in_float(problem);
  const Judgement judgement = samples::judge(problem, values);
  EXPECT_TRUE(judgement.passed) << judgement.pattern;
  for (const char* metric : {"max_abs", "max_rel", "rmse", "psnr", "normwise", "elementwise"}) {
    EXPECT_TRUE(judgement.gate(metric).passed) << metric;
  }
  for (const DType lower : {DType::bfloat16, DType::float16}) {
    Values rounded = values;
    for (double& value : rounded) {
      std::array<std::byte, 2> bytes{};
      store_element(lower, value, bytes.data());
      value = load_element(lower, bytes.data());
    }
    EXPECT_FALSE(samples::judge(problem, rounded).passed) << info(lower).name;
  }
}

TEST(Gates, CancellingTermsAreExcusedByTheirMagnitude) {
  // y = (big + r) - big, with float32 sums: all of the error comes from terms that cancel.
  Problem problem{samples::matvec(), {{"rows", 256}, {"cols", 64}}, {}, {256}, {}, {}};
  Values values;
  for (int row = 0; row < 256; ++row) {
    const double exact = 1.0 + row / 1024.0 + 1e-5 * row;
    problem.expected.push_back(exact);
    problem.magnitude.push_back(20000.0);
    values.push_back(static_cast<double>((10000.0F + static_cast<float>(exact)) - 10000.0F));
  }
  EXPECT_TRUE(samples::judge(problem, values).passed);
  problem.magnitude.clear();
  EXPECT_FALSE(samples::judge(problem, values).passed);
}

TEST(Gates, WhatTensorCoresCutOffGrowsWithTheirSteps) {
  // 0.4 of half a spacing lost at each step of 16 products, as on an H200.
  const auto judged = [](std::int64_t terms, bool tensor_cores) {
    Problem problem{samples::matvec(), {{"rows", 256}, {"cols", terms}}, {}, {256}, {}, {}};
    for (Tensor& input : problem.spec.inputs) input.dtype = DType::bfloat16;
    problem.spec.outputs.front().dtype = DType::bfloat16;
    if (tensor_cores) problem.spec.cost.flops.emplace("bf16_tensor", Expression::constant(1));
    const double kept = 1.0 - 0.4 * 0x1p-24 * static_cast<double>(terms) / 16.0;
    Values values;
    for (int row = 0; row < 256; ++row) {
      problem.expected.push_back(1.0 + row / 1024.0);
      problem.magnitude.push_back(4.0 * problem.expected.back());
      values.push_back(problem.expected.back() * kept);
    }
    return samples::judge(problem, values);
  };
  EXPECT_TRUE(judged(25165824, true).passed);
  EXPECT_FALSE(judged(25165824, false).passed);
  // Among ordinary numbers of terms it is nothing.
  const double with = judged(4096, true).gate("normwise").limit;
  const double without = judged(4096, false).gate("normwise").limit;
  EXPECT_GT(with, without);
  EXPECT_LT(with, 1.1 * without);
}

TEST(Gates, WhereTermsCancelToNothingTheirElementsJudgeAlone) {
  // Sums of 64 terms of about 1 that are 0: an honest float32 sum is off by a few roundings of 1.
  Problem problem{samples::matvec(), {{"rows", 256}, {"cols", 64}}, {}, {256}, {}, {}};
  problem.expected.assign(256, 0.0);
  problem.magnitude.assign(256, 64.0);
  const Judgement honest = samples::judge(problem, Values(256, 5e-7));
  EXPECT_TRUE(honest.passed);
  for (const char* metric : {"normwise", "rmse", "psnr"}) {
    EXPECT_THROW((void)honest.gate(metric), std::out_of_range) << metric;
  }
  EXPECT_LT(honest.gate("elementwise").value, 0.5);
  // bfloat16 or TF32 terms leave an error of another size.
  EXPECT_FALSE(samples::judge(problem, Values(256, 1e-3)).passed);
  Values one_wrong(256, 0.0);
  one_wrong[200] = 0.5;
  EXPECT_FALSE(samples::judge(problem, one_wrong).passed);
}

// Welford's mean follows a rising row by steps that are much alike, whose roundings point one way.
TEST(Gates, ARunningMeanOfRowsInOrderPasses) {
  const OpSpec spec = samples::spec_from(R"({"name": "variance",
    "axes": {"rows": {"type": "var"}, "cols": {"type": "var"}},
    "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["rows"], "dtype": "float32"}},
    "precision": {"terms": "cols"},
    "workloads": [{"name": "w", "axes": {"rows": 4, "cols": 64}}]})");
  const auto& families = input_families();
  const auto sorted = std::find_if(families.begin(), families.end(),
                                   [](const auto& family) { return family.name == "sorted"; });
  constexpr std::int64_t rows = 24;
  constexpr std::int64_t cols = 512;
  Problem problem{spec, {{"rows", rows}, {"cols", cols}}, {}, {rows}, {}, {}};
  problem.traits = traits_of(&*sorted, spec);
  const Values x = samples::draw(spec, "x", problem.axes, &*sorted, 1);
  Values welford;
  for (std::int64_t row = 0; row < rows; ++row) {
    const double* in = x.data() + row * cols;
    const double mean = std::accumulate(in, in + cols, 0.0) / cols;
    double variance = 0.0;
    for (std::int64_t i = 0; i < cols; ++i) variance += (in[i] - mean) * (in[i] - mean) / cols;
    problem.expected.push_back(variance);
    float running = 0.0F;
    float squares = 0.0F;
    for (std::int64_t i = 0; i < cols; ++i) {
      const auto value = static_cast<float>(in[i]);
      const float step = value - running;
      running += step / static_cast<float>(i + 1);
      squares += step * (value - running);
    }
    welford.push_back(squares / static_cast<float>(cols));
  }
  const Judgement judgement = samples::judge(problem, welford);
  EXPECT_TRUE(judgement.passed) << judgement.pattern;
  EXPECT_GT(judgement.gate("normwise").value, 4 * 0x1p-24 * std::sqrt(cols));
}

// Their squares are beyond double's range, on either side.
TEST(Gates, Float64ResultsOfAnySizeAreJudgedByTheirElements) {
  const OpSpec spec = samples::spec_from(R"({"name": "copy64",
    "axes": {"rows": {"type": "var"}, "cols": {"type": "var"}},
    "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "float64"}},
    "outputs": {"y": {"shape": ["rows", "cols"], "dtype": "float64"}},
    "precision": {"accumulate": "float64", "terms": "1"},
    "workloads": [{"name": "w", "axes": {"rows": 4, "cols": 64}}]})");
  for (const double size : {0x1p1000, 0x1p-700}) {
    Problem problem{spec, {{"rows", 4}, {"cols", 64}}, {}, {4, 64}, {}, {}};
    problem.expected.assign(256, size);
    Values values(256, size * (1 + 0x1p-52));
    values[70] = size;
    EXPECT_TRUE(samples::judge(problem, values).passed) << size;
    values[70] = size * (1 + 0x1p-40);
    EXPECT_FALSE(samples::judge(problem, values).passed) << size;
  }
}

TEST(Gates, TheSpecsToleranceReplacesALimitOrAddsAGate) {
  Problem problem = samples::softmax_problem(16, 128);
  Values values = samples::softmax_in_float(problem);
  for (double& value : values) value *= 1.04;
  EXPECT_FALSE(samples::judge(problem, values).passed);
  problem.spec.tolerance.limits = {{"normwise", 0.05}, {"elementwise", 6.0}};
  EXPECT_TRUE(samples::judge(problem, values).passed);
  problem.spec.tolerance.limits["mae"] = 1e-9;
  const Judgement judgement = samples::judge(problem, values);
  EXPECT_FALSE(judgement.passed);
  EXPECT_FALSE(judgement.gate("mae").passed);
  problem.spec.tolerance.limits = {{"madness", 1.0}};
  EXPECT_THROW(
      {
        try {
          samples::judge(problem, values);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::bad_input);
          EXPECT_THAT(error.what(), HasSubstr("no metric 'madness'; there are: max_abs"));
          throw;
        }
      },
      Error);
}

TEST(Gates, NanNeverPasses) {
  const Problem problem = samples::softmax_problem(8, 64);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Values values = samples::softmax_in_float(problem);
  values[70] = nan;
  const Judgement one = samples::judge(problem, values);
  EXPECT_FALSE(one.passed);
  EXPECT_EQ(one.metrics.worst, 70);
  EXPECT_THAT(one.pattern, StartsWith("1 of 512 elements are NaN, the first at [1, 6]"));
  EXPECT_FALSE(samples::judge(problem, Values(512, nan)).passed);
}

TEST(Gates, NonFiniteElementsMustStandWhereTheReferenceHasThem) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Problem problem = samples::softmax_problem(8, 64);
  Values values = samples::softmax_in_float(problem);
  problem.expected[3] = inf;
  problem.expected[4] = -inf;
  problem.expected[5] = nan;
  EXPECT_EQ(samples::judge(problem, values).metrics.nonfinite, 3);
  values[3] = inf;
  values[4] = -inf;
  values[5] = nan;
  EXPECT_TRUE(samples::judge(problem, values).passed);
  values[4] = inf;
  EXPECT_FALSE(samples::judge(problem, values).passed);
}

TEST(Gates, AReferenceBeyondTheOutputTypeAsksForInfinity) {
  const DTypeInfo& half = info(DType::float16);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(same_class(half, inf, 1e6));
  EXPECT_FALSE(same_class(half, 65504.0, 1e6));
  EXPECT_FALSE(same_class(half, -inf, 1e6));
  EXPECT_TRUE(same_class(half, 65504.0, 65510.0));
  EXPECT_TRUE(same_class(info(DType::float8_e4m3), 448.0, 1e6));
  EXPECT_FALSE(same_class(half, inf, 60000.0));
}

TEST(Gates, IntegersMustBeEqual) {
  const OpSpec spec = samples::spec_from(R"({"name": "copy", "description": "Copy",
    "axes": {"n": {"type": "var"}},
    "inputs": {"x": {"shape": ["n"], "dtype": "int32"}},
    "outputs": {"y": {"shape": ["n"], "dtype": "int32"}},
    "workloads": [{"name": "w", "axes": {"n": 64}}]})");
  Problem problem{spec, {{"n", 100}}, {}, {100}, Values(100, 7.0), {}};
  Values values = problem.expected;
  EXPECT_TRUE(samples::judge(problem, values).passed);
  values[99] = 8.0;
  const Judgement judgement = samples::judge(problem, values);
  EXPECT_FALSE(judgement.passed);
  EXPECT_DOUBLE_EQ(judgement.metrics.max_ulp, 1.0);
}

TEST(Metrics, AreWhatTheirNamesSay) {
  const OpSpec spec = samples::spec_from(R"({"name": "copy", "description": "Copy",
    "axes": {"n": {"type": "var"}},
    "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
    "workloads": [{"name": "w", "axes": {"n": 4}}]})");
  const Problem problem{spec, {{"n", 4}}, {}, {4}, {3.0, -4.0, 0.0, 12.0}, {}};
  const Metrics metrics = samples::judge(problem, {3.0, -4.0, 1.0, 13.5}).metrics;
  EXPECT_DOUBLE_EQ(metrics.max_abs, 1.5);
  EXPECT_DOUBLE_EQ(metrics.max_rel, 1.0 / 6.5);  // against the RMS; the other: 1.5 / 12
  EXPECT_DOUBLE_EQ(metrics.mae, 0.625);
  EXPECT_DOUBLE_EQ(metrics.mse, 0.8125);
  EXPECT_DOUBLE_EQ(metrics.rmse, std::sqrt(0.8125));
  EXPECT_DOUBLE_EQ(metrics.psnr, 20.0 * std::log10(12.0 / std::sqrt(0.8125)));
  EXPECT_DOUBLE_EQ(metrics.normwise, std::sqrt(3.25) / 13.0);
  EXPECT_DOUBLE_EQ(metrics.rounding, 0.0);  // integers
  EXPECT_DOUBLE_EQ(metrics.cosine, 187.0 / (13.0 * std::sqrt(208.25)));
  EXPECT_DOUBLE_EQ(spacing_at(info(DType::float32), 0.0, 12.0), 8 * 0x1p-23);
  EXPECT_EQ(metrics.worst, 2);  // the tighter bound, not the greater error
}

TEST(Metrics, DoNotDependOnHowManyElementsThereAre) {
  // More than one piece of work, and slabs longer than a piece.
  const Problem problem = samples::softmax_problem(2, 150001);
  Values values = samples::softmax_in_float(problem);
  EXPECT_TRUE(samples::judge(problem, values).passed);
  values[300001] = 1.0;
  EXPECT_EQ(samples::judge(problem, values).metrics.worst, 300001);
}

}  // namespace
}  // namespace kernelloop
