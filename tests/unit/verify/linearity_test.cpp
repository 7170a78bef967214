#include "verify/linearity.hpp"

#include "verify/reference_library.hpp"

#include <gtest/gtest.h>

#include "samples.hpp"

#include <string>

namespace kernelloop {
namespace {

bool is_linear(const std::string& op, const char* reference, const Bindings& shape) {
  const OpSpec spec = load_op_spec(KERNELLOOP_TEST_OPS "/" + op + "/op.json");
  SeedSource seeds(1);
  const ReferenceLibrary library(reference);
  return is_linear_in_each_input({spec, "cpu", seeds, library}, shape, 3);
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

}  // namespace
}  // namespace kernelloop
