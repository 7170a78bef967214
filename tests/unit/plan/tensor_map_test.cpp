// Tensor maps in plans: what a plan may leave out, and what is wrong with one.
#include "plan/tensor_map.hpp"

#include <gmock/gmock.h>

#include "plan_texts.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A kernel k(map, y) whose map is `map` (the members of a tensor map).
std::string source_of(const std::string& map) {
  return source_with(R"({"kernel": "k", "grid": [1], "block": [32],
"args": [{"tensor_map": {)" +
                         map + R"(}}, "y"]})",
                     "4096");
}

std::string reading_problem(const std::string& map) {
  return first_problem(extract(source_of(map)).problems);
}

KernelTable map_kernels(std::size_t map_bytes = 128) { return {kernel("k", {map_bytes, 8})}; }

std::string checking_problem(const std::string& map) {
  return first_problem(check_plan(plan_from(source_of(map)), plan_spec(), map_kernels()));
}

ResolveResult resolve_map(const std::string& map, const Bindings& axes) {
  return resolve_plan(plan_from(source_of(map)), plan_spec(), map_kernels(), axes,
                      {{"eps", 0}, {"shift", 0}}, {});
}

std::string resolving_problem(const std::string& map,
                              const Bindings& axes = {{"rows", 8}, {"cols", 64}}) {
  return first_problem(resolve_map(map, axes).problems);
}

const std::string k_plain = R"("tensor": "x", "box": [64, 8])";

TEST(TensorMap, IsTheWholeTensorUnlessThePlanSaysMore) {
  const ResolveResult result = resolve_map(k_plain, {{"rows", 5}, {"cols", 48}});
  ASSERT_TRUE(result.plan) << first_problem(result.problems);
  const ResolvedArgument& argument = result.plan->launches[0].arguments[0];
  EXPECT_EQ(argument.kind, ResolvedArgument::Kind::tensor_map);
  EXPECT_EQ(argument.tensor, "x");
  const detail::TensorMapNumbers& map = argument.map;
  EXPECT_EQ(map.type, 9);  // CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
  EXPECT_EQ(map.rank, 2);
  EXPECT_EQ(map.offset_bytes, 0);
  EXPECT_THAT(map.dims, ElementsAre(48, 5, 0, 0, 0));
  EXPECT_THAT(map.stride_bytes, ElementsAre(96, 0, 0, 0));
  EXPECT_THAT(map.box, ElementsAre(64, 8, 0, 0, 0));
  EXPECT_THAT(map.element_strides, ElementsAre(1, 1, 0, 0, 0));
  EXPECT_EQ(map.interleave + map.swizzle + map.l2_promotion + map.oob_fill, 0);
}

TEST(TensorMap, TakesEveryMember) {
  const std::string all =
      R"m("tensor": "workspace", "dtype": "tfloat32", "offset_bytes": "rows * 32",
"dims": [4, "rows", 2], "stride_bytes": [16, "rows * 16"], "box": [4, "min(rows, 256)", 1],
"element_strides": [1, 2, 1], "interleave": "32B", "swizzle": "32B", "l2_promotion": "256B",
"oob_fill": "nan")m";
  const ResolveResult result = resolve_map(
      replaced(all, "[16, \"rows * 16\"]", "[32, \"rows * 32\"]"), {{"rows", 4}, {"cols", 64}});
  ASSERT_TRUE(result.plan) << first_problem(result.problems);
  const ResolvedArgument& argument = result.plan->launches[0].arguments[0];
  EXPECT_EQ(argument.tensor, "");
  EXPECT_EQ(argument.map.type, 11);
  EXPECT_EQ(argument.map.offset_bytes, 128);
  EXPECT_THAT(argument.map.dims, ElementsAre(4, 4, 2, 0, 0));
  EXPECT_THAT(argument.map.stride_bytes, ElementsAre(32, 128, 0, 0));
  EXPECT_THAT(argument.map.element_strides, ElementsAre(1, 2, 1, 0, 0));
  EXPECT_EQ(argument.map.interleave, 2);
  EXPECT_EQ(argument.map.swizzle, 1);
  EXPECT_EQ(argument.map.l2_promotion, 3);
  EXPECT_EQ(argument.map.oob_fill, 1);
  EXPECT_THAT(resolving_problem(all), HasSubstr("stride_bytes[0] is 16 (`16`), no multiple of 32"));
}

TEST(TensorMap, SurvivesTheCanonicalForm) {
  const LaunchPlan plan = plan_from(source_of(k_plain + R"(, "swizzle": "128B")"));
  const Json json = plan_to_json(plan);
  EXPECT_EQ(json["launches"][0]["args"][0]["tensor_map"]["swizzle"], "128B");
  EXPECT_EQ(plan_to_json(plan_from_json(json, plan_spec())), json);
}

TEST(TensorMap, OfAnOutputWritesIt) {
  const std::string source = source_with(R"({"kernel": "k", "grid": [1], "block": [32],
"args": [{"tensor_map": {"tensor": "y", "box": [64, 8]}}]})");
  EXPECT_EQ(first_problem(extract(source).problems), "no problem");
}

TEST(TensorMap, WhatAPlanGetsWrong) {
  EXPECT_THAT(reading_problem(R"("tensor": "z", "box": [8])"),
              HasSubstr("args[0]: `z` is no tensor of the op"));
  EXPECT_THAT(reading_problem(R"("tensor": "eps", "box": [8])"),
              HasSubstr("args[0]: `eps` is no tensor of the op"));
  EXPECT_THAT(reading_problem(R"("tensor": "x")"), HasSubstr("`box`"));
  EXPECT_THAT(reading_problem(k_plain + R"(, "dtype": "bfloat")"),
              HasSubstr("`bfloat` is no dtype of a tensor map; did you mean `bfloat16`?"));
  EXPECT_THAT(reading_problem(R"("tensor": "workspace", "dims": [8], "box": [8])"),
              HasSubstr("a map of the workspace needs `dtype`"));
  EXPECT_THAT(reading_problem(R"("tensor": "workspace", "dtype": "uint8", "box": [8])"),
              HasSubstr("a map of the workspace needs `dims`"));
  EXPECT_THAT(reading_problem(k_plain + R"(, "swizzle": "128")"),
              HasSubstr("swizzle is `128`; it must be one of none, 32B, 64B, 128B"));
  EXPECT_THAT(reading_problem(k_plain + R"(, "dims": ["colz", "rows"])"),
              HasSubstr("args[0]: dims/0: in \"colz\", offset 0: unknown axis `colz`"));
  EXPECT_THAT(reading_problem(R"("tensor": "x", "box": [64])"),
              HasSubstr("box has 1 entries, 2 dims need 2"));
  EXPECT_THAT(reading_problem(k_plain + R"(, "stride_bytes": [])"),
              HasSubstr("stride_bytes has 0 entries, 2 dims need 1"));
  EXPECT_THAT(reading_problem(k_plain + R"(, "element_strides": [1])"),
              HasSubstr("element_strides has 1 entries, 2 dims need 2"));
  EXPECT_THAT(reading_problem(k_plain + R"(, "interleave": "16B")"),
              HasSubstr("interleave needs at least 3 dims"));
  EXPECT_THAT(reading_problem(k_plain + R"(, "dtype": "int32", "oob_fill": "nan")"),
              HasSubstr("oob_fill \"nan\" needs a floating-point dtype, not int32"));
  EXPECT_THAT(reading_problem(
                  R"("tensor": "workspace", "dtype": "uint8", "dims": [16, 2, 2], "box": [16, 1, 1],
"interleave": "32B", "swizzle": "64B")"),
              HasSubstr("interleave \"32B\" goes with swizzle \"32B\" only"));
  EXPECT_THAT(first_problem(extract(source_with(R"({"kernel": "k", "grid": [1], "block": [32],
"args": ["y", {"tensor_map": {"tensor": "workspace", "dtype": "uint8", "dims": [16], "box": [16]}}]})"))
                                .problems),
              HasSubstr("args[1] points into the workspace, which has 0 bytes"));
}

TEST(TensorMap, ATensorThatIsNotAlignedHasNone) {
  OpSpec spec = plan_spec();
  spec.inputs[0].alignment = 4;
  const PlanResult result = extract_plan(source_of(k_plain), "kernel.cu", spec);
  EXPECT_THAT(first_problem(result.problems),
              HasSubstr("`x` is only aligned to 4 bytes, a tensor map needs 16"));
}

TEST(TensorMap, WhatConstantsGetWrong) {
  EXPECT_EQ(checking_problem(k_plain), "no problem");
  EXPECT_THAT(checking_problem(R"("tensor": "x", "box": [64, 257])"),
              HasSubstr("launch of `k`: args[0]: box[1] is 257 (`257`); it must be 1 to 256"));
  EXPECT_THAT(checking_problem(R"("tensor": "x", "box": [12, 8])"),
              HasSubstr("box[0] is 12 elements, 24 bytes, no multiple of 16"));
  EXPECT_THAT(checking_problem(k_plain + R"(, "swizzle": "64B")"),
              HasSubstr("128 bytes, more than the 64 bytes that the swizzle spans"));
  EXPECT_THAT(checking_problem(k_plain + R"(, "element_strides": [1, 9])"),
              HasSubstr("element_strides[1] is 9 (`9`); it must be 1 to 8"));
  EXPECT_THAT(checking_problem(k_plain + R"(, "offset_bytes": 8)"),
              HasSubstr("offset_bytes is 8 (`8`), no multiple of 16"));
  EXPECT_THAT(checking_problem(k_plain + R"(, "dims": [0, 4])"),
              HasSubstr("dims[0] is 0 (`0`); it must be 1 to 4294967296"));
  EXPECT_THAT(
      first_problem(check_plan(plan_from(source_of(k_plain)), plan_spec(), map_kernels(64))),
      HasSubstr("is a tensor map of 128 bytes, the parameter has 64; declare it const "
                "__grid_constant__ CUtensorMap"));
}

TEST(TensorMap, WhatAShapeGetsWrong) {
  EXPECT_EQ(resolving_problem(k_plain), "no problem");
  EXPECT_THAT(resolving_problem(k_plain, {{"rows", 8}, {"cols", 60}}),
              HasSubstr("for cols=60, rows=8: launch of `k`: args[0]: stride_bytes[0] is 120 "
                        "(`(cols) * 2`), no multiple of 16; leave such shapes to another launch"));
  EXPECT_THAT(resolving_problem(k_plain + R"(, "dims": ["cols", "rows + 1"])"),
              HasSubstr("it reaches 1152 bytes into `x`, which has 1024"));
  EXPECT_THAT(resolving_problem(k_plain + R"(, "offset_bytes": 16)"),
              HasSubstr("it reaches 1040 bytes into `x`, which has 1024"));
  EXPECT_THAT(resolving_problem(R"("tensor": "workspace", "dtype": "uint8", "dims": [4097],
"box": [16])"),
              HasSubstr("it reaches 4097 bytes into `workspace`, which has 4096"));
  EXPECT_THAT(resolving_problem(k_plain + R"(, "dims": ["cols", "rows / 0"])"),
              HasSubstr("args[0]: dims[1]: in \"rows / 0\""));
}

TEST(TensorMap, EndsWhereItsLastElementDoes) {
  detail::TensorMapNumbers map{};
  map.rank = 2;
  map.dims[0] = 3;
  map.dims[1] = 2;
  map.stride_bytes[0] = 16;
  EXPECT_EQ(detail::map_end(map, 4), 28);
  map.offset_bytes = 32;
  EXPECT_EQ(detail::map_end(map, 4), 60);
  map.dims[1] = std::int64_t{1} << 62;
  EXPECT_EQ(detail::map_end(map, 4), -1);
  map.dims[1] = 0;
  EXPECT_EQ(detail::map_end(map, 4), -1);
}

}  // namespace
}  // namespace kernelloop
