#include "spec/precision.hpp"

#include "support/error.hpp"
#include "support/json.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

// An op with one matrix for each of these types.
OpSpec spec_of(const std::vector<std::string>& dtypes, const std::string& precision = "") {
  std::string inputs;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    inputs += fmt::format(R"({}"x{}": {{"shape": ["n", "n"], "dtype": "{}"}})", i == 0 ? "" : ", ",
                          i, dtypes[i]);
  }
  return parse_op_spec(parse_json(
      R"({"name": "op", "axes": {"n": {"type": "var"}}, "inputs": {)" + inputs +
          R"(}, "outputs": {"y": {"shape": ["n"], "dtype": "float32"}}, "precision": {)" +
          precision + R"(}, "workloads": [{"name": "one", "axes": {"n": 8}}]})",
      "op.json"));
}

std::string types(const std::vector<std::string>& dtypes, const std::string& precision = "") {
  return fmt::format("{}", fmt::join(tensor_core_types(spec_of(dtypes, precision)), " "));
}

TEST(TensorCoreTypes, HoldEveryValueOfAnInput) {
  EXPECT_EQ(types({"float32"}), "f64");
  EXPECT_EQ(types({"float32"}, R"("allow_tf32": true)"), "f64 tf32");
  EXPECT_EQ(types({"bfloat16"}), "f64 tf32 bf16");
  EXPECT_EQ(types({"float16"}), "f64 tf32 f16");
  EXPECT_EQ(types({"float8_e4m3"}), "f64 tf32 f16 bf16 e4m3");
  EXPECT_EQ(types({"float8_e5m2"}), "f64 tf32 f16 bf16 e5m2");
  EXPECT_EQ(types({"int8"}), "f64 tf32 f16 bf16 s8");
  EXPECT_EQ(types({"int32"}), "f64");
  EXPECT_EQ(types({"bool"}), "f64");
}

TEST(TensorCoreTypes, AreThoseOfEitherInput) {
  EXPECT_EQ(types({"bfloat16", "float32"}), "f64 tf32 bf16");
  // Small integers beside a float32 matrix do not let it be rounded.
  EXPECT_EQ(types({"float32", "int8"}), "f64 s8");
  EXPECT_EQ(types({"float32", "bool"}), "f64");
}

TEST(TensorCoreTypes, FollowTheAccumulationAndTheSpec) {
  EXPECT_EQ(types({"float32"}, R"("accumulate": "bfloat16")"), "f64 tf32 bf16");
  EXPECT_EQ(types({"float32"}, R"("intermediate": "float16")"), "f64 tf32 f16");
  EXPECT_EQ(types({"float32"}, R"("tensor_core_inputs": ["bfloat16", "tfloat32"])"), "bf16 tf32");
  EXPECT_EQ(types({"bfloat16"}, R"("tensor_core_inputs": [])"), "");
  EXPECT_THROW(spec_of({"bfloat16"}, R"("tensor_core_inputs": ["float4"])"), Error);
}

TEST(HalfArithmetic, NeedsTheSpecsConsent) {
  EXPECT_FALSE(half_arithmetic_allowed(spec_of({"bfloat16"})));
  EXPECT_TRUE(half_arithmetic_allowed(spec_of({"bfloat16"}, R"("accumulate": "bfloat16")")));
  const OpSpec allowed = spec_of({"bfloat16"}, R"("allow_half_arithmetic": true)");
  EXPECT_TRUE(half_arithmetic_allowed(allowed));
  EXPECT_FALSE(half_accumulation_allowed(allowed));
  EXPECT_FALSE(half_accumulation_allowed(spec_of({"int8"}, R"("accumulate": "int8")")));
}

TEST(Precision, SurvivesTheSplitOfTheSpec) {
  const std::string text = R"({"name": "op", "axes": {"n": {"type": "var"}},
      "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
      "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
      "precision": {"allow_half_arithmetic": true, "tensor_core_inputs": ["bfloat16"]},
      "workloads": [{"name": "one", "axes": {"n": 8}}]})";
  const Json contract = split_spec(parse_json(text, "op.json")).contract;
  const OpSpec again = parse_op_spec(parse_json(to_text(contract), "contract.json"));
  EXPECT_TRUE(again.precision.allow_half_arithmetic);
  EXPECT_EQ(again.precision.tensor_core_inputs, std::vector<std::string>{"bfloat16"});
}

}  // namespace
}  // namespace kernelloop
