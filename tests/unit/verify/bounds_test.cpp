// The derived limits against simulated kernels: honest arithmetic passes on every family, shape and
// seed; arithmetic below the declared precision fails.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace kernelloop {
namespace {

using samples::Judgement;
using samples::Problem;
using samples::Values;

// Rounded to this many significant bits; to nearest, halves to even.
float round_to_bits(float value, int bits) {
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(static_cast<double>(value), &exponent), bits);
  return static_cast<float>(std::ldexp(std::nearbyint(scaled), exponent - bits));
}

float round_to(DType type, float value) {
  std::array<std::byte, 8> bytes{};
  store_element(type, static_cast<double>(value), bytes.data());
  return static_cast<float>(load_element(type, bytes.data()));
}

// One element of a product as a kernel might compute it: terms(l) is the l-th pair of factors.
struct Term {
  float left;
  float right;
};
using Terms = std::function<Term(std::int64_t)>;
using DotProduct = float (*)(const Terms& terms, std::int64_t count);

float sequential(const Terms& terms, std::int64_t count) {
  float sum = 0.0F;
  for (std::int64_t l = 0; l < count; ++l) {
    const Term term = terms(l);
    sum = std::fma(term.left, term.right, sum);
  }
  return sum;
}

float pairwise_between(const Terms& terms, std::int64_t begin, std::int64_t end) {
  if (end - begin == 1) return terms(begin).left * terms(begin).right;
  const std::int64_t middle = begin + (end - begin) / 2;
  return pairwise_between(terms, begin, middle) + pairwise_between(terms, middle, end);
}
float pairwise(const Terms& terms, std::int64_t count) { return pairwise_between(terms, 0, count); }

// A lane of a warp takes every 32nd term; the lanes are added up as a tree.
float blocked(const Terms& terms, std::int64_t count) {
  std::array<float, 32> lanes{};
  for (std::int64_t l = 0; l < count; ++l) {
    float& lane = lanes.at(static_cast<std::size_t>(l % 32));
    lane = std::fma(terms(l).left, terms(l).right, lane);
  }
  for (std::size_t width = 16; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) lanes.at(lane) += lanes.at(lane + width);
  }
  return lanes[0];
}

template <int Bits>
float cut(const Terms& terms, std::int64_t count) {
  return blocked(
      [&](std::int64_t l) {
        return Term{round_to_bits(terms(l).left, Bits), round_to_bits(terms(l).right, Bits)};
      },
      count);
}

template <DType Type>
float accumulated_in(const Terms& terms, std::int64_t count) {
  float sum = 0.0F;
  for (std::int64_t l = 0; l < count; ++l) {
    const Term term = terms(l);
    sum = round_to(Type, sum + term.left * term.right);
  }
  return sum;
}

struct Shape {
  std::int64_t m, n, k;
};
constexpr std::array k_small_shapes{Shape{1, 1, 1}, Shape{3, 5, 2}, Shape{9, 7, 64},
                                    Shape{6, 5, 700}};

OpSpec product_spec(DType input, DType output, double scale) {
  static const OpSpec k_spec = samples::spec_from(R"({"name": "product",
      "axes": {"m": {"type": "var"}, "n": {"type": "var"}, "k": {"type": "var"}},
      "inputs": {"a": {"shape": ["m", "k"], "dtype": "float32"},
                 "b": {"shape": ["n", "k"], "dtype": "float32"}},
      "outputs": {"c": {"shape": ["m", "n"], "dtype": "float32"}},
      "precision": {"accumulate": "float32", "terms": "k"},
      "workloads": [{"name": "w", "axes": {"m": 8, "n": 8, "k": 8}}]})");
  OpSpec spec = k_spec;
  for (Tensor& tensor : spec.inputs) {
    tensor.dtype = input;
    tensor.values.deviation = scale;
  }
  spec.outputs.front().dtype = output;
  return spec;
}

Problem product_problem(DType input, DType output, const Shape& shape, const InputFamily* family,
                        std::uint64_t seed, double scale = 1.0) {
  Problem problem{product_spec(input, output, scale),
                  {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}},
                  {},
                  {shape.m, shape.n},
                  {},
                  {}};
  problem.inputs["a"] = samples::draw(problem.spec, "a", problem.axes, family, seed);
  // Of what is near the limit one input is enough, as in the ladder: two would overflow on the way.
  const bool both = family == nullptr || family->when != InputFamily::When::linear;
  problem.inputs["b"] =
      samples::draw(problem.spec, "b", problem.axes, both ? family : nullptr, seed);
  const Values& a = problem.inputs["a"];
  const Values& b = problem.inputs["b"];
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      double sum = 0.0;
      double terms = 0.0;
      for (std::int64_t l = 0; l < shape.k; ++l) {
        const double term = a[static_cast<std::size_t>(i * shape.k + l)] *
                            b[static_cast<std::size_t>(j * shape.k + l)];
        sum += term;
        terms += std::fabs(term);
      }
      problem.expected.push_back(sum);
      problem.magnitude.push_back(terms);
    }
  }
  problem.traits = traits_of(family, problem.spec);
  return problem;
}

Values product(const Problem& problem, DotProduct dot) {
  const Values& a = problem.inputs.at("a");
  const Values& b = problem.inputs.at("b");
  const std::int64_t k = problem.axes.at("k");
  Values result;
  for (std::int64_t i = 0; i < problem.shape[0]; ++i) {
    for (std::int64_t j = 0; j < problem.shape[1]; ++j) {
      const Terms terms = [&](std::int64_t l) {
        return Term{static_cast<float>(a[static_cast<std::size_t>(i * k + l)]),
                    static_cast<float>(b[static_cast<std::size_t>(j * k + l)])};
      };
      result.push_back(static_cast<double>(dot(terms, k)));
    }
  }
  return result;
}

// The families of the values rung and the spec's own values.
std::vector<const InputFamily*> families_of(const OpSpec& spec) {
  std::vector<const InputFamily*> families{nullptr};
  for (const InputFamily& family : input_families()) {
    if (applies(family, spec)) families.push_back(&family);
  }
  return families;
}

std::string words(const Problem& problem, const InputFamily* family, const Judgement& judgement) {
  std::string text = shape_text(problem.spec, problem.axes) + " " +
                     (family == nullptr ? "own" : std::string(family->name)) + ":";
  for (const Gate& gate : judgement.gates) {
    text += fmt::format(" {} {:.3g} of {:.3g}", gate.metric, gate.value, gate.limit);
  }
  return text + " " + judgement.pattern;
}

struct Types {
  DType input;
  DType output;
};
constexpr std::array k_types{
    Types{DType::float32, DType::float32}, Types{DType::bfloat16, DType::bfloat16},
    Types{DType::float16, DType::float16}, Types{DType::bfloat16, DType::float32}};

TEST(Bounds, HonestProductsPassOnEveryFamily) {
  for (const auto& [input, output] : k_types) {
    for (const InputFamily* family : families_of(product_spec(input, output, 1.0))) {
      for (const Shape& shape : k_small_shapes) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
          const Problem problem = product_problem(input, output, shape, family, seed);
          for (const DotProduct dot : {sequential, pairwise, blocked}) {
            const Judgement judgement = samples::judge(problem, product(problem, dot));
            EXPECT_TRUE(judgement.passed)
                << info(output).name << " " << words(problem, family, judgement);
          }
        }
      }
    }
  }
}

TEST(Bounds, HonestProductsPassWithManyTerms) {
  for (const auto& [input, output] : k_types) {
    for (const std::int64_t k : {4097, 16384}) {
      const Problem problem = product_problem(input, output, {4, 4, k}, nullptr, 3);
      for (const DotProduct dot : {sequential, pairwise, blocked}) {
        const Judgement judgement = samples::judge(problem, product(problem, dot));
        EXPECT_TRUE(judgement.passed) << words(problem, nullptr, judgement);
        EXPECT_LE(judgement.gate("normwise").margin, 1.0);
      }
    }
  }
}

TEST(Bounds, ALowerPrecisionThanFloat32FailsWithEveryNumberOfTerms) {
  for (const std::int64_t k : {1, 3, 16, 100, 1000, 4097, 16384}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Problem problem =
          product_problem(DType::float32, DType::float32, {8, 6, k}, nullptr, seed);
      for (const DotProduct dot : {cut<11>, cut<8>, accumulated_in<DType::float16>}) {
        const Judgement judgement = samples::judge(problem, product(problem, dot));
        EXPECT_FALSE(judgement.passed) << words(problem, nullptr, judgement);
        EXPECT_GT(judgement.gate("normwise").margin, 1.0);
      }
      EXPECT_THAT(samples::judge(problem, product(problem, cut<8>)).pattern,
                  testing::HasSubstr("bfloat16"));
      EXPECT_THAT(samples::judge(problem, product(problem, cut<11>)).pattern,
                  testing::HasSubstr("tfloat32"));
    }
  }
}

TEST(Bounds, Tfloat32PassesWhereTheSpecAllowsIt) {
  for (const std::int64_t k : {1, 16, 1000}) {
    Problem problem = product_problem(DType::float32, DType::float32, {8, 6, k}, nullptr, 1);
    problem.spec.precision.allow_tf32 = true;
    EXPECT_TRUE(samples::judge(problem, product(problem, cut<11>)).passed) << k;
    EXPECT_FALSE(samples::judge(problem, product(problem, cut<8>)).passed) << k;
  }
}

TEST(Bounds, SmallOutputsAreJudgedAtTheirOwnScale) {
  const Problem problem =
      product_problem(DType::float32, DType::float32, {8, 6, 64}, nullptr, 1, 1e-3);
  EXPECT_TRUE(samples::judge(problem, product(problem, blocked)).passed);
  EXPECT_FALSE(samples::judge(problem, product(problem, cut<11>)).passed);
  EXPECT_FALSE(samples::judge(problem, Values(48, 0.0)).passed);
}

// Some family of the rung shows it, whatever the shape.
TEST(Bounds, ANarrowAccumulatorBehindBfloat16FailsOnSomeFamily) {
  const OpSpec spec = product_spec(DType::bfloat16, DType::bfloat16, 1.0);
  for (const std::int64_t k : {64, 700}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      for (const DotProduct dot :
           {accumulated_in<DType::float16>, accumulated_in<DType::bfloat16>}) {
        int caught = 0;
        for (const InputFamily* family : families_of(spec)) {
          const Problem problem =
              product_problem(DType::bfloat16, DType::bfloat16, {6, 5, k}, family, seed);
          if (!samples::judge(problem, product(problem, dot)).passed) ++caught;
        }
        EXPECT_GE(caught, 2) << k << " " << seed;
      }
    }
  }
}

TEST(Bounds, AnIntermediateRoundingFailsUnlessItIsDeclared) {
  const Problem honest = samples::rmsnorm_of_family(32, 300, nullptr, 4, DType::bfloat16);
  Problem declared = honest;
  declared.spec.precision.intermediate = DType::bfloat16;
  const Values& weight = honest.inputs.at("weight");
  Values values = samples::rmsnorm_in_float(honest);
  EXPECT_TRUE(samples::judge(honest, values).passed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double gain = weight[i % weight.size()];
    const auto normalised = static_cast<float>(honest.expected[i] / gain);
    values[i] = static_cast<double>(round_to(DType::bfloat16, normalised)) * gain;
  }
  const Judgement judgement = samples::judge(honest, values);
  EXPECT_FALSE(judgement.passed);
  EXPECT_THAT(judgement.pattern, testing::HasSubstr("rounding to bfloat16 more than once"));
  EXPECT_TRUE(samples::judge(declared, values).passed);
}

TEST(Bounds, HonestRowsPassOnEveryFamily) {
  for (const DType type : {DType::float32, DType::bfloat16, DType::float16}) {
    for (const InputFamily* family : families_of(samples::softmax())) {
      if (family != nullptr && family->when == InputFamily::When::linear) continue;  // neither is
      for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{48, 48}, {5, 1031}}) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
          const Problem softmax = samples::softmax_of_family(rows, cols, family, seed, type);
          Judgement judgement = samples::judge(softmax, samples::softmax_in_float(softmax));
          EXPECT_TRUE(judgement.passed) << info(type).name << words(softmax, family, judgement);
          const Problem rmsnorm = samples::rmsnorm_of_family(rows, cols, family, seed, type);
          judgement = samples::judge(rmsnorm, samples::rmsnorm_in_float(rmsnorm));
          EXPECT_TRUE(judgement.passed) << info(type).name << words(rmsnorm, family, judgement);
        }
      }
    }
  }
}

// As the simplest of kernels does it, with a thread for each row: where terms are alike, or a few
// exceed the rest by far, each addition rounds in the same direction.
TEST(Bounds, RowsThatOneRegisterAddsUpPassHoweverLong) {
  for (const InputFamily* family : families_of(samples::softmax())) {
    if (family != nullptr && family->when == InputFamily::When::linear) continue;
    for (const std::int64_t cols : {515, 11183, 61737}) {
      for (const std::int64_t rows : {1, 4}) {
        const Problem softmax = samples::softmax_of_family(rows, cols, family, 3, DType::float32);
        Judgement judgement = samples::judge(softmax, samples::softmax_in_float(softmax));
        EXPECT_TRUE(judgement.passed) << words(softmax, family, judgement);
        const Problem rmsnorm = samples::rmsnorm_of_family(rows, cols, family, 3, DType::float32);
        judgement = samples::judge(rmsnorm, samples::rmsnorm_in_float(rmsnorm));
        EXPECT_TRUE(judgement.passed) << words(rmsnorm, family, judgement);
      }
    }
  }
}

// The case that showed it: all results are the same number, next to where bfloat16 rounds the other
// way.
TEST(Bounds, OneResultEverywhereMayRoundTheOtherWay) {
  const InputFamily* one_hot = nullptr;
  for (const InputFamily& family : input_families()) {
    if (family.name == "one_hot") one_hot = &family;
  }
  const Problem problem = samples::softmax_of_family(1, 52939, one_hot, 1, DType::bfloat16);
  EXPECT_TRUE(samples::judge(problem, samples::softmax_in_float(problem)).passed);
}

TEST(Bounds, TermsThatAreDeclaredTightenTheLimit) {
  Problem problem = product_problem(DType::float32, DType::float32, {8, 6, 4}, nullptr, 1);
  problem.axes["m"] = 1 << 20;  // only the bounds look at it
  const double declared =
      error_model(problem.spec, problem.spec.outputs[0], problem.axes).root_terms;
  problem.spec.precision.terms.reset();
  const double guessed =
      error_model(problem.spec, problem.spec.outputs[0], problem.axes).root_terms;
  EXPECT_DOUBLE_EQ(declared, 4.0);
  EXPECT_DOUBLE_EQ(guessed, 1024.0);
}

TEST(Bounds, EveryGateShowsItsMargin) {
  const Problem problem = samples::softmax_problem(16, 128);
  const Judgement good = samples::judge(problem, samples::softmax_in_float(problem));
  const Judgement bad = samples::judge(problem, Values(16 * 128, 0.0));
  for (const Gate& gate : good.gates) {
    EXPECT_EQ(gate.passed, gate.margin <= 1.0) << gate.metric;
    EXPECT_GE(gate.margin, 0.0);
  }
  for (const char* metric : {"normwise", "elementwise", "psnr", "cosine"}) {
    EXPECT_GT(bad.gate(metric).margin, 1.0) << metric;
    EXPECT_FALSE(bad.gate(metric).passed) << metric;
  }
  EXPECT_DOUBLE_EQ(bad.gate("normwise").margin, 1.0 / bad.gate("normwise").limit);
  EXPECT_NEAR(bad.gate("psnr").margin, bad.gate("normwise").margin,
              0.01 * bad.gate("normwise").margin);
}

TEST(Bounds, ExactDataLeavesNoToleranceAndOthersDo) {
  const OpSpec spec = product_spec(DType::bfloat16, DType::bfloat16, 1.0);
  const Problem problem =
      product_problem(DType::bfloat16, DType::bfloat16, {9, 7, 64}, &exact_integers(), 2);
  Values values = product(problem, blocked);
  Judgement judgement = samples::judge(problem, values);
  EXPECT_TRUE(judgement.passed);
  EXPECT_DOUBLE_EQ(judgement.gate("max_abs").limit, 0.0);
  const auto largest = std::max_element(values.begin(), values.end());
  *largest += *largest > 128.0 ? 2.0 : 1.0;
  judgement = samples::judge(problem, values);
  EXPECT_FALSE(judgement.passed);
  EXPECT_THAT(judgement.pattern, testing::HasSubstr("1 of 63 elements"));
}

TEST(Bounds, DenormalsMayBeFlushedUnlessTheSpecSaysOtherwise) {
  Problem problem = product_problem(DType::float32, DType::float32, {1, 6, 1}, nullptr, 1);
  problem.inputs["a"] = {1.0};
  problem.expected = problem.magnitude = {0x1p-130, 0x1p-140, 0x1p-149, 0x1p-130, 0x1p-131, 0.0};
  EXPECT_TRUE(samples::judge(problem, problem.expected).passed);
  EXPECT_TRUE(samples::judge(problem, Values(6, 0.0)).passed);
  problem.spec.precision.denormals = Precision::Denormals::preserve;
  EXPECT_TRUE(samples::judge(problem, problem.expected).passed);
  EXPECT_FALSE(samples::judge(problem, Values(6, 0.0)).passed);
}

TEST(Bounds, WhereTheReferenceIsUndefinedNobodyIsBound) {
  Problem problem = samples::softmax_problem(8, 64);
  Values values = samples::softmax_in_float(problem);
  problem.expected[5] = std::nan("");
  EXPECT_FALSE(samples::judge(problem, values).passed);
  problem.traits.free_where_undefined = true;
  EXPECT_TRUE(samples::judge(problem, values).passed);
}

}  // namespace
}  // namespace kernelloop
