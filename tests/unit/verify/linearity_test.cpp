#include "verify/linearity.hpp"

#include "verify/reference_library.hpp"

#include <gtest/gtest.h>

#include "samples.hpp"

#include <string>

namespace kernelloop {
namespace {

bool is_linear(const OpSpec& spec, const char* reference, const Bindings& shape) {
  SeedSource seeds(1);
  const ReferenceLibrary library(reference);
  return is_made_of_products_of_two({spec, "cpu", seeds, library}, shape, 3);
}

bool is_linear(const std::string& op, const char* reference, const Bindings& shape) {
  return is_linear(load_op_spec(KERNELLOOP_TEST_OPS "/" + op + "/op.json"), reference, shape);
}

TEST(Linearity, ProductsAreLinearInEachFactor) {
  EXPECT_TRUE(is_linear("gemm_bf16", KERNELLOOP_TEST_GEMM, {{"m", 5}, {"n", 7}, {"k", 20}}));
}

TEST(Linearity, NormsAndExponentialsAreNot) {
  const Bindings shape{{"rows", 5}, {"cols", 7}};
  EXPECT_FALSE(is_linear("softmax", KERNELLOOP_TEST_SOFTMAX, shape));
  EXPECT_FALSE(is_linear("rmsnorm", KERNELLOOP_TEST_RMSNORM, shape));
}

TEST(Linearity, OneInputIsNotEnough) {
  // y = silu(gate) up: gate up may overflow where y is small.
  EXPECT_FALSE(is_linear("swiglu", KERNELLOOP_TEST_SWIGLU, {{"rows", 5}, {"cols", 7}}));
}

// alpha (a b) with a small alpha: a b may overflow where the result does not.
TEST(Linearity, ProductsOfThreeFactorsAreNotEnough) {
  const auto spec = [](const std::string& alpha) {
    return samples::spec_from(R"({"name": "probe", "axes": {"rows": {"type": "var"},
      "cols": {"type": "var"}},
      "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "float32"},
                 "gain": {"shape": ["cols"], "dtype": "float32"},
                 "alpha": {"shape": null, "dtype": ")" +
                              alpha + R"("},
                 "mode": {"shape": null, "dtype": "int32",
                          "values": {"family": "constant", "value": 24}}},
      "outputs": {"y": {"shape": ["rows", "cols"], "dtype": "float32"}},
      "workloads": [{"name": "w", "axes": {"rows": 4, "cols": 4}}]})");
  };
  const Bindings shape{{"rows", 5}, {"cols", 7}};
  EXPECT_FALSE(is_linear(spec("float32"), KERNELLOOP_TEST_PROBE, shape));
  // An integer is a number of times: it makes nothing small.
  EXPECT_TRUE(is_linear(spec("int32"), KERNELLOOP_TEST_PROBE, shape));
}

}  // namespace
}  // namespace kernelloop
