#include "verify/output_judge.hpp"

#include "verify/case_data.hpp"
#include "verify/elements.hpp"

#include <gtest/gtest.h>

#include "samples.hpp"

#include <cmath>

namespace kernelloop {
namespace {

// z = x + y of one element, of which the terms are 1 and the result is 0.01.
class OfOneElement : public testing::Test {
 protected:
  bool passes(double got, std::vector<double> probed_terms) const {
    const Bindings axes = {{"n", 1}};
    const TensorArena arena(slots_of(spec_, axes));
    store_element(DType::float32, got, arena.bytes("z").data());
    std::vector<double> values = {k_expected};
    std::map<std::string, ReferenceOutput> expected;
    ReferenceOutput& z = expected["z"];
    z.values = values;
    z.shape = {1};
    z.scale = scale_of(z.values, z.shape, 0, info(DType::float32).largest);
    z.probed_terms = std::move(probed_terms);
    return judge_outputs(spec_, axes, traits_of(nullptr, spec_), arena, expected, Poison())
        .at(0)
        .passed;
  }

  static constexpr double k_expected = -0.01009123;
  OpSpec spec_ = samples::spec_from(R"({"name": "add", "description": "z = x + y",
    "axes": {"n": {"type": "var"}},
    "inputs": {"x": {"shape": ["n"], "dtype": "float32"}, "y": {"shape": ["n"], "dtype": "float32"}},
    "outputs": {"z": {"shape": ["n"], "dtype": "float32"}},
    "workloads": [{"name": "w", "axes": {"n": 4}}]})");
};

TEST_F(OfOneElement, TheRoundingOfTermsThatCancelledIsExcused) {
  // A fused multiply-add leaves out a rounding of a term of 1: half of 2^-24 and more.
  const double honest = k_expected + 0x1p-24;
  EXPECT_TRUE(passes(honest, {1.0}));
  EXPECT_FALSE(passes(honest, {}));
}

TEST_F(OfOneElement, AnErrorBeyondTheTermsRoundingIsNot) {
  EXPECT_FALSE(passes(k_expected + 0x1p-17, {1.0}));
}

TEST_F(OfOneElement, AProbeThatSawLessThanTheResultTightensNothing) {
  EXPECT_TRUE(passes(k_expected * (1 + 0x1p-23), {0.0}));
}

// y = the sum of 9461 normal numbers, which came to -9.6 of the 97 or so that it may be. What a
// probe sees is of the size of 97, and not of the 7500 that the magnitudes of the terms add up to.
bool sum_passes(double error) {
  const OpSpec spec = samples::spec_from(R"({"name": "sum", "axes": {"n": {"type": "var"}},
    "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
    "outputs": {"y": {"shape": [], "dtype": "float32"}},
    "precision": {"terms": "n", "deterministic": false},
    "workloads": [{"name": "w", "axes": {"n": 4}}]})");
  const Bindings axes = {{"n", 9461}};
  const TensorArena arena(slots_of(spec, axes));
  std::vector<double> values = {-9.561451970497728};
  store_element(DType::float32, values[0] + error, arena.bytes("y").data());
  std::map<std::string, ReferenceOutput> expected;
  ReferenceOutput& y = expected["y"];
  y.values = values;
  y.scale = scale_of(y.values, y.shape, 0, info(DType::float32).largest);
  y.probed_terms = {120.0};
  return judge_outputs(spec, axes, traits_of(nullptr, spec), arena, expected, Poison())
      .at(0)
      .passed;
}

TEST(OutputJudge, ALongSumInOneRegisterThatCancelledByChancePasses) {
  EXPECT_TRUE(sum_passes(2.26e-4));
  EXPECT_TRUE(sum_passes(1e-3));
  EXPECT_FALSE(sum_passes(2e-2));  // as of bfloat16 terms
}

}  // namespace
}  // namespace kernelloop
