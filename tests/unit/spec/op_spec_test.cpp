#include "spec/op_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec_texts.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(OpSpec, ReadsEveryMember) {
  const OpSpec spec = spec_from(k_valid_spec);
  EXPECT_EQ(spec.name, "scale");
  EXPECT_EQ(spec.description, "y = x * gain");
  ASSERT_EQ(spec.axes.size(), 4U);
  EXPECT_EQ(spec.axes[0].name, "rows");
  EXPECT_EQ(spec.axes[0].description, "rows");
  EXPECT_EQ(spec.axes[2].kind, Axis::Kind::constant);
  EXPECT_EQ(spec.axes[2].value, 4);
  EXPECT_EQ(spec.axes[3].formula->text(), "cols * heads");
  ASSERT_EQ(spec.inputs.size(), 2U);
  EXPECT_EQ(spec.inputs[0].name, "x");
  EXPECT_EQ(spec.inputs[0].dtype, DType::bfloat16);
  EXPECT_THAT(spec.inputs[0].shape, testing::ElementsAre("rows", "wide"));
  EXPECT_FALSE(spec.inputs[0].scalar);
  EXPECT_EQ(spec.inputs[0].values.family, "normal");
  EXPECT_TRUE(spec.inputs[1].scalar);
  EXPECT_EQ(spec.inputs[1].values.family, "constant");
  EXPECT_EQ(spec.inputs[1].values.value, 2.0);
  ASSERT_EQ(spec.outputs.size(), 1U);
  EXPECT_EQ(spec.outputs[0].description, "out");
  ASSERT_EQ(spec.constraints.size(), 1U);
  EXPECT_EQ(spec.precision.accumulate, DType::float32);
  EXPECT_EQ(spec.cost.bytes.text(), "rows * wide * 6");
  EXPECT_EQ(spec.cost.flops.at("fp32").text(), "rows * wide");
  ASSERT_EQ(spec.workloads.size(), 2U);
  EXPECT_EQ(spec.workloads[0].weight, 1.0);
  EXPECT_EQ(spec.workloads[1].weight, 2.0);
  EXPECT_EQ(spec.workloads[1].scalars.at("gain"), 3.0);
  EXPECT_EQ(spec.workloads[1].axes, (Bindings{{"rows", 300}, {"cols", 64}}));
  EXPECT_EQ(spec.ladder.shapes.at("shapes").size(), 2U);
  EXPECT_EQ(spec.ladder.holdout.size(), 1U);
  EXPECT_EQ(spec.tolerance.limits.at("max_abs"), 0.001);
  EXPECT_EQ(spec.find_tensor("y"), &spec.outputs[0]);
  EXPECT_EQ(spec.find_tensor("rows"), nullptr);
  EXPECT_EQ(spec.find_axis("x"), nullptr);
}

TEST(OpSpec, WorkloadsOfADevice) {
  const OpSpec spec = spec_from(k_valid_spec);
  ASSERT_EQ(spec.workloads_for("cuda").size(), 1U);
  EXPECT_EQ(spec.workloads_for("cuda")[0].name, "big");
  EXPECT_EQ(spec.workloads_for("cpu").size(), 2U);
}

TEST(OpSpec, IntegerInputsAreDrawnAsIntegersByDefault) {
  const auto values = [](const std::string& dtype) {
    return spec_from(
               with(R"("dtype": "bfloat16", "description": "in")", R"("dtype": ")" + dtype + "\""))
        .inputs[0]
        .values;
  };
  EXPECT_EQ(values("int32").family, "integers");
  EXPECT_EQ(values("int32").low, -8.0);
  EXPECT_EQ(values("uint8").low, 0.0);
  EXPECT_EQ(values("uint8").high, 15.0);
  EXPECT_EQ(values("bool").high, 1.0);
  EXPECT_EQ(values("float16").family, "normal");
}

TEST(OpSpec, EndsOfValuesFollowTheShape) {
  const OpSpec spec = spec_from(with(
      R"("description": "in")",
      R"("values": {"family": "uniform", "low": "-rows", "high": "wide / 2", "special": {"value": 9, "share": 0.25}})"));
  const Tensor& x = spec.inputs[0];
  EXPECT_EQ(x.values.low_formula->text(), "-rows");
  EXPECT_EQ(x.values.special_value, 9.0);
  EXPECT_EQ(x.values.special_share, 0.25);
  const InputValues values = values_at(x, resolve_axes(spec, {{"rows", 3}, {"cols", 6}}));
  EXPECT_EQ(values.low, -3.0);
  EXPECT_EQ(values.high, 12.0);
  EXPECT_FALSE(values.low_formula || values.high_formula);
  EXPECT_EQ(values.special_share, 0.25);
  EXPECT_EQ(values_at(spec.inputs[1], {}).value, 2.0);
}

TEST(OpSpec, AMissingFileSaysSo) {
  try {
    load_op_spec("/nonexistent/op.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "/nonexistent/op.json: no such file");
  }
}

// One thing wrong each: the piece that is replaced, by what, and how the message begins and what it
// holds.
struct Wrong {
  const char* what;
  std::string from;
  std::string to;
  std::string begins;
  std::string holds;
};

void PrintTo(const Wrong& wrong, std::ostream* stream) { *stream << wrong.what; }

class WrongSpec : public testing::TestWithParam<Wrong> {};

// The shapes of the spec are fine, others that its constraints allow are not.
class NotServable : public testing::TestWithParam<Wrong> {};

const std::string k_no_small_shape =
    with(R"({"rows": 1, "cols": 2}, {"rows": 7, "cols": 6})", R"({"rows": 7, "cols": 6})");

TEST_P(NotServable, IsExplainedAtItsPlace) {
  const Wrong& wrong = GetParam();
  const std::string text = replaced(k_no_small_shape, wrong.from, wrong.to);
  EXPECT_NO_THROW(spec_from(text));
  const std::string message = spec_error(text);
  EXPECT_THAT(message, StartsWith(wrong.begins));
  EXPECT_THAT(message, HasSubstr(wrong.holds));
}

TEST_P(WrongSpec, IsExplainedAtItsPlace) {
  const Wrong& wrong = GetParam();
  const std::string message = spec_error(with(wrong.from, wrong.to));
  EXPECT_THAT(message, StartsWith(wrong.begins));
  EXPECT_THAT(message, HasSubstr(wrong.holds));
}

std::string name_of(const testing::TestParamInfo<Wrong>& info) { return info.param.what; }

INSTANTIATE_TEST_SUITE_P(
    Names, WrongSpec,
    testing::Values(Wrong{"op_identifier", R"("scale")", R"("my-scale")",
                          "op.json:2:11: ", "the operator's name `my-scale` is not a C identifier"},
                    Wrong{"op_keyword", R"("scale")", R"("switch")",
                          "op.json:2:11: ", "is a keyword of C++"},
                    Wrong{"axis_keyword", R"("rows": {"type")", R"("for": {"type")",
                          "op.json:5:12: ", "the axis name `for` is a keyword of C++"},
                    Wrong{"axis_reserved", R"("rows": {"type")", R"("min": {"type")",
                          "op.json:5:12: ", "has a meaning in CUDA, in C++ or in generated code"},
                    Wrong{"tensor_identifier", R"("x": {)", R"("x/y": {)",
                          "op.json:11:12: ", "the tensor name `x/y` is not a C identifier"},
                    Wrong{"tensor_like_axis", R"("x": {)", R"("cols": {)",
                          "op.json:11:13: ", "`cols` is the name of an axis too; rename one"},
                    Wrong{"tensor_twice", R"("outputs": {"y")", R"("outputs": {"x")",
                          "op.json:14:20: ", "`x` is the name of an input too; rename one"},
                    Wrong{"workload_twice", R"("big")", R"("small")",
                          "op.json:20:14: ", "there are two workloads `small`; rename one"},
                    Wrong{"workload_letters", R"("big")", R"("so big")",
                          "op.json:20:14: ", "use letters, digits"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Axes, WrongSpec,
    testing::Values(
        Wrong{"unknown_in_shape", R"(["rows", "wide"], "dtype": "bfloat16")",
              R"(["rowz", "wide"], "dtype": "bfloat16")", "op.json:11:21: ",
              "in \"rowz\", offset 0: unknown axis `rowz`; did you mean `rows`?"},
        Wrong{"unknown_in_constraint", "cols % 2 == 0", "2 * colls == 4",
              "op.json:15:19: ", "offset 4: unknown axis `colls`; did you mean `cols`?"},
        Wrong{"unknown_in_cost", "rows * wide * 6", "rows * wdie",
              "op.json:17:21: ", "offset 7: unknown axis `wdie`; did you mean `wide`?"},
        Wrong{"tensor_in_cost", "rows * wide * 6", "rows * gain",
              "op.json:17:21: ", "unknown axis `gain`; known are `rows`, `cols`, `heads`, `wide`"},
        Wrong{"unknown_in_flops", R"("fp32": "rows * wide")", R"("fp32": "row")",
              "op.json:17:58: ", "unknown axis `row`; did you mean `rows`?"},
        Wrong{"unknown_in_axis", "cols * heads", "cols * head",
              "op.json:8:44: ", "unknown axis `head`; did you mean `heads`?"},
        Wrong{"circle_of_one", "cols * heads", "cols * wide",
              "op.json:8:44: ", "axis `wide` is computed from itself; break the circle"},
        Wrong{"circle_of_two", R"({"type": "const", "value": 4})",
              R"({"type": "expr", "expression": "wide / 2"})", "op.json:7:45: ",
              "axis `heads` is computed from itself by way of `wide`; break the circle"},
        Wrong{"const_without_value", R"({"type": "const", "value": 4})", R"({"type": "const"})",
              "op.json:7:14: ", "an axis of type `const` needs `value`"},
        Wrong{"expr_without_expression", R"(, "expression": "cols * heads")", "",
              "op.json:8:13: ", "an axis of type `expr` needs `expression`"},
        Wrong{"var_with_value", R"("cols": {"type": "var")",
              R"("cols": {"type": "var", "value": 3)",
              "op.json:6:38: ", "an axis of type `var` has no `value`; remove it"},
        Wrong{"value_zero", R"("value": 4)", R"("value": 0)",
              "op.json:7:41: ", "must be at least 1"},
        Wrong{"value_too_large", R"("value": 4)", R"("value": 9223372036854775808)",
              "op.json:7:41: ", "does not fit into 64 bits"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Shapes, WrongSpec,
    testing::Values(
        Wrong{"workload_lacks_axis", R"({"rows": 3, "cols": 4})", R"({"rows": 3})",
              "op.json:19:31: ", "axis `cols` has no value; give it one"},
        Wrong{"workload_adds_axis", R"({"rows": 3, "cols": 4})",
              R"({"rows": 3, "cols": 4, "deep": 2})",
              "op.json:19:31: ", "unknown axis `deep`; known are `rows`, `cols`"},
        Wrong{"workload_sets_constant", R"({"rows": 3, "cols": 4})",
              R"({"rows": 3, "cols": 4, "heads": 2})",
              "op.json:19:31: ", "axis `heads` is constant; leave it out"},
        Wrong{"workload_breaks_constraint", R"({"rows": 3, "cols": 4})",
              R"({"rows": 3, "cols": 5})",
              "op.json:19:31: ", "constraint `cols % 2 == 0` does not hold for cols=5, rows=3"},
        Wrong{"ladder_breaks_constraint", R"({"rows": 7, "cols": 6})", R"({"rows": 7, "cols": 3})",
              "op.json:23:40: ", "constraint `cols % 2 == 0` does not hold"},
        Wrong{"size_zero", R"({"rows": 3, "cols": 4})", R"({"rows": 0, "cols": 4})",
              "op.json:19:40: ", "must be at least 1"},
        Wrong{"size_negative", R"({"rows": 3, "cols": 4})", R"({"rows": -3, "cols": 4})",
              "op.json:19:40: ", "must be at least 1"},
        Wrong{"size_not_64_bits", R"({"rows": 3, "cols": 4})",
              R"({"rows": 18446744073709551615, "cols": 4})",
              "op.json:19:40: ", "does not fit into 64 bits"},
        Wrong{"too_many_elements", R"({"rows": 3, "cols": 4})",
              R"({"rows": 4611686018427387904, "cols": 4})",
              "op.json:19:31: ", "`x` has more bytes than 64 bits can count"},
        Wrong{"negative_dimension", R"(["rows", "wide"], "dtype": "bfloat16")",
              R"(["rows", "wide - 20"], "dtype": "bfloat16")", "op.json:19:31: ",
              "dimension 1 of `x` (`wide - 20`) is -4; a size is never negative"},
        Wrong{"negative_axis", "cols * heads", "cols - 5",
              "op.json:19:31: ", "axis `wide` = cols - 5 is -1; a size is never negative"},
        Wrong{"axis_overflow", "cols * heads", "cols * 9223372036854775807", "op.json:19:31: ",
              "axis `wide` = cols * 9223372036854775807: the value does not fit into 64 bits"},
        Wrong{"scalar_output", R"("y": {"shape": ["rows", "wide"])", R"("y": {"shape": null)",
              "op.json:14:30: ", "output `y` is a scalar"},
        Wrong{"no_output",
              R"({"y": {"shape": ["rows", "wide"], "dtype": "float32", "description": "out"}})",
              "{}", "op.json:14:14: ", "there is no output"},
        Wrong{"holdout_is_workload", R"({"rows": 5, "cols": 10})", R"({"cols": 64, "rows": 300})",
              "op.json:24:17: ",
              "this hold-out shape is that of workload `big`, so it would not be hidden"},
        Wrong{"holdout_is_ladder", R"({"rows": 5, "cols": 10})", R"({"rows": 7, "cols": 6})",
              "op.json:24:17: ", "this hold-out shape stands in rung `shapes` too"},
        Wrong{"ladder_twice", R"({"rows": 7, "cols": 6})", R"({"rows": 1, "cols": 2})",
              "op.json:23:40: ", "stands in the list twice"}),
    name_of);

// A ladder member in place of the hold-out shapes.
std::string with_huge(const std::string& axis) {
  return R"("huge": {"axis": ")" + axis + R"(", "shapes": [{"rows": 9, "cols": 10}]})";
}

INSTANTIATE_TEST_SUITE_P(
    Huge, WrongSpec,
    testing::Values(Wrong{"huge_unknown_axis", R"("holdout": [{"rows": 5, "cols": 10}])",
                          with_huge("row"), "op.json:24:22: ", "`row` is no axis of type `var`"},
                    Wrong{"huge_constant_axis", R"("holdout": [{"rows": 5, "cols": 10}])",
                          with_huge("heads"),
                          "op.json:24:22: ", "`heads` is no axis of type `var`"},
                    Wrong{"huge_computed_from", R"("holdout": [{"rows": 5, "cols": 10}])",
                          with_huge("cols"),
                          "op.json:24:22: ", "axis `wide` is computed from `cols`"},
                    Wrong{"huge_breaks_constraint", R"("holdout": [{"rows": 5, "cols": 10}])",
                          R"("huge": {"axis": "rows", "shapes": [{"rows": 9, "cols": 11}]})",
                          "op.json:24:", "constraint `cols % 2 == 0` does not hold"}),
    name_of);

TEST(OpSpec, AHugeAxisIsTheOutermostOfEveryOutput) {
  const std::string huge = with(R"("holdout": [{"rows": 5, "cols": 10}])", with_huge("rows"));
  const OpSpec spec = spec_from(huge);
  ASSERT_TRUE(spec.ladder.huge);
  EXPECT_EQ(spec.ladder.huge->axis, "rows");
  EXPECT_EQ(spec.ladder.huge->shapes.at(0).at("rows"), 9);
  EXPECT_EQ(spec_from(to_text(split_spec(parse_json(huge, "op.json")).checks)).ladder.huge->axis,
            "rows");
  EXPECT_THAT(spec_error(replaced(huge, R"("y": {"shape": ["rows", "wide"])",
                                  R"("y": {"shape": ["wide", "rows"])")),
              HasSubstr("`rows` must be the outermost axis of `y`, and stand nowhere else"));
  EXPECT_THAT(spec_error(replaced(huge, R"("x": {"shape": ["rows", "wide"])",
                                  R"("x": {"shape": ["wide", "rows"])")),
              HasSubstr("`rows` must be the outermost axis of `x` or be absent from it"));
}

INSTANTIATE_TEST_SUITE_P(
    Others, WrongSpec,
    testing::Values(
        Wrong{"expression", "rows * wide * 6", "rows * * wide", "op.json:17:21: ",
              "in \"rows * * wide\", offset 7: expected a number, a name or `(`, found `*`"},
        Wrong{"shape_expression", R"(["rows", "wide"], "dtype": "bfloat16")",
              R"(["rows", "wide +"], "dtype": "bfloat16")",
              "op.json:11:29: ", "in \"wide +\", offset 6: expected a number"},
        Wrong{"negative_cost", "rows * wide * 6", "rows - 4", "op.json:17:21: ",
              "cost `bytes` (`rows - 4`) for workload `small`: is -1; a cost is never negative"},
        Wrong{"cost_division", "rows * wide * 6", "rows / (rows - 3)",
              "op.json:17:21: ", "for workload `small`: division by zero"},
        Wrong{"weight_zero", R"("weight": 2)", R"("weight": 0)",
              "op.json:20:90: ", "weight 0 must be greater than 0"},
        Wrong{"weight_negative", R"("weight": 2)", R"("weight": -1.5)",
              "op.json:20:90: ", "weight -1.5 must be greater than 0"},
        Wrong{"unknown_scalar", R"("scalars": {"gain": 3})", R"("scalars": {"gian": 3})",
              "op.json:20:76: ", "unknown scalar input `gian`; did you mean `gain`?"},
        Wrong{"tensor_as_scalar", R"("scalars": {"gain": 3})", R"("scalars": {"x": 3})",
              "op.json:20:73: ", "unknown scalar input `x`; known are `gain`"},
        Wrong{"family_member", R"("family": "constant", "value": 2)",
              R"("family": "constant", "mean": 2)",
              "op.json:12:90: ", "family `constant` has no `mean`; remove it"},
        Wrong{"deviation_zero", R"("family": "constant", "value": 2)",
              R"("family": "normal", "deviation": 0)", "op.json:12:93: ", "greater than 0"},
        Wrong{"empty_range", R"("family": "constant", "value": 2)",
              R"("family": "uniform", "low": 2, "high": 2)",
              "op.json:12:59: ", "`low` must be less than `high`"},
        Wrong{"fraction_in_integers", R"("family": "constant", "value": 2)",
              R"("family": "integers", "low": 0.5, "high": 2)",
              "op.json:12:59: ", "must be integers"},
        Wrong{"alignment_no_power", R"("dtype": "bfloat16", )",
              R"("dtype": "bfloat16", "alignment": 24, )", "op.json:11:",
              "an alignment is a power of two from 2 (the size of an element) to 4096"},
        Wrong{"alignment_below_element", R"("dtype": "bfloat16", )",
              R"("dtype": "bfloat16", "alignment": 1, )", "op.json:11:", "from 2 (the size"},
        Wrong{"alignment_beyond_a_page", R"("dtype": "bfloat16", )",
              R"("dtype": "bfloat16", "alignment": 8192, )", "op.json:11:", "to 4096"},
        Wrong{"alignment_of_scalar", R"("shape": null, )", R"("shape": null, "alignment": 16, )",
              "op.json:12:", "a scalar is passed by value and has no alignment; remove it"},
        Wrong{"value_out_of_range",
              R"("dtype": "float32", "values": {"family": "constant", "value": 2})",
              R"("dtype": "uint8", "values": {"family": "constant", "value": 256})",
              "op.json:12:89: ", "256 does not fit into uint8"},
        Wrong{"end_of_values_unknown_axis", R"("family": "constant", "value": 2)",
              R"("family": "integers", "high": "colz - 1")",
              "op.json:12:90: ", "in \"colz - 1\", offset 0: unknown axis `colz`"},
        Wrong{"empty_range_at_a_shape", R"("family": "constant", "value": 2)",
              R"("family": "uniform", "high": "rows - 3")", "op.json:19:31: ",
              "values of input `gain` from 0 to 0: `low` must be less than `high`"},
        Wrong{"end_of_values_division", R"("family": "constant", "value": 2)",
              R"("family": "integers", "high": "1 / (rows - 3) + 1")", "op.json:19:31: ",
              "`high` of the values of input `gain` (`1 / (rows - 3) + 1`): division by zero"},
        Wrong{"end_of_values_out_of_range",
              R"("dtype": "float32", "values": {"family": "constant", "value": 2})",
              R"("dtype": "uint8", "values": {"family": "integers", "high": "rows"})",
              "op.json:20:29: ", "`high` of the values of input `gain` (`rows`): 300 does not fit"},
        Wrong{"ends_of_families", R"("value": 2})", R"("value": 2, "at_least": 3, "at_most": 2})",
              "op.json:12:", "must not be greater than `at_most`"},
        Wrong{"family_unknown", R"("value": 2})", R"("value": 2, "families": ["tiez"]})",
              "op.json:12:", "tiez"},
        Wrong{"terms_unknown_axis", R"("allow_tf32": false)", R"("terms": "depth")",
              "op.json:16:", "unknown axis `depth`"},
        Wrong{"special_share_zero", R"("value": 2})",
              R"("value": 2, "special": {"value": 1, "share": 0}})",
              "op.json:12:127: ", "must be greater than 0 and at most 1"},
        Wrong{
            "special_does_not_fit",
            R"("dtype": "float32", "values": {"family": "constant", "value": 2})",
            R"("dtype": "uint8", "values": {"family": "constant", "special": {"value": -100, "share": 1}})",
            "op.json:12:101: ", "-100 does not fit into uint8"},
        Wrong{"negative_unsigned",
              R"("dtype": "float32", "values": {"family": "constant", "value": 2})",
              R"("dtype": "uint8", "values": {"family": "constant", "value": -1})",
              "op.json:12:89: ", "-1 does not fit into uint8"}),
    name_of);

// Shapes that no workload names but every caller may come with.
INSTANTIATE_TEST_SUITE_P(
    Served, NotServable,
    testing::Values(
        Wrong{
            "dimension_of_a_small_shape", R"(["rows", "wide"], "dtype": "bfloat16")",
            R"(["rows - 2", "wide"], "dtype": "bfloat16")", "op.json:11:20: ",
            "dimension 0 of `x` (`rows - 2`) is -1; a size is never negative (for cols=2, rows=1, "
            "which the constraints allow); leave such shapes out with \"constraints\": "
            "[\"rows - 2 >= 0\"]"},
        Wrong{"dimension_of_an_output", R"("y": {"shape": ["rows", "wide"])",
              R"("y": {"shape": ["rows", "rows > 2 ? 1 : -1"])", "op.json:14:30: ",
              "leave such shapes out with \"constraints\": [\"(rows > 2 ? 1 : -1) >= 0\"]"},
        Wrong{"dimension_without_value", R"(["rows", "wide"], "dtype": "bfloat16")",
              R"(["6 / (rows - 1) + 1", "wide"], "dtype": "bfloat16")", "op.json:11:20: ",
              "division by zero (for cols=2, rows=1, which the constraints allow); leave such "
              "shapes out with a constraint"},
        Wrong{"ends_cross", R"("family": "constant", "value": 2)",
              R"("family": "integers", "low": 0, "high": "rows - 2")", "op.json:12:59: ",
              "values of input `gain` from 0 to -1: `low` must not be greater than `high` (for "
              "cols=2, rows=1, which the constraints allow); leave such shapes out with "
              "\"constraints\": [\"0 <= rows - 2\"]"},
        Wrong{"end_beyond_the_dtype",
              R"("dtype": "float32", "values": {"family": "constant", "value": 2})",
              R"("dtype": "int8", "values": {"family": "integers", "high": "cols"})",
              "op.json:12:56: ", "does not fit into int8"},
        Wrong{"terms_of_a_small_shape", R"("allow_tf32": false)", R"("terms": "rows - 1")",
              "op.json:16:51: ",
              "`terms` (`rows - 1`) is 0; an output element adds up one term at least"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Values, WrongSpec,
    testing::Values(
        Wrong{"terms_at_a_workload", R"("allow_tf32": false)", R"("terms": "rows - 3")",
              "op.json:19:31: ", "`terms` (`rows - 3`) is 0"},
        Wrong{"tensors_together_too_large", R"({"rows": 3, "cols": 4})",
              R"({"rows": 288230376151711744, "cols": 2})",
              "op.json:19:31: ", "all tensors together have more bytes than 64 bits can count"},
        Wrong{"nothing_to_time", R"("y": {"shape": ["rows", "wide"])",
              R"("y": {"shape": ["rows - 3", "wide"])",
              "op.json:19:31: ", "no output has an element at this shape"},
        Wrong{"scalar_does_not_fit", R"("scalars": {"gain": 3})", R"("scalars": {"gain": 1e300})",
              "op.json:20:76: ", "1e+300 does not fit into float32"},
        Wrong{"fraction_in_an_integer_type",
              R"("dtype": "float32", "values": {"family": "constant", "value": 2})",
              R"("dtype": "int32", "values": {"family": "constant", "value": 0.5})",
              "op.json:12:89: ", "0.5 is no whole number, and int32 holds nothing else"},
        Wrong{"normal_beyond_the_dtype", R"("family": "constant", "value": 2)",
              R"("family": "normal", "mean": 3e38, "deviation": 3e38)",
              "op.json:12:59: ", "`mean` and `deviation` reach beyond"},
        Wrong{"constant_that_is_not_served", R"("value": 2})", R"("value": 2, "at_most": 1})",
              "op.json:12:59: ", "they leave the range from `at_least` to `at_most`"},
        Wrong{"cosine_beyond_one", R"({"max_abs": 0.001})", R"({"cosine": 1.5})",
              "op.json:26:27: ", "no cosine reaches 1.5; choose a limit of at most 1"}),
    name_of);

TEST(OpSpec, TheConstraintOfTheMessageHelps) {
  const std::string small = replaced(k_no_small_shape, R"(["rows", "wide"], "dtype": "bfloat16")",
                                     R"(["rows - 2", "wide"], "dtype": "bfloat16")");
  EXPECT_THAT(spec_error(small), HasSubstr(R"(["rows - 2 >= 0"])"));
  EXPECT_EQ(
      spec_error(replaced(small, R"("cols % 2 == 0")", R"("cols % 2 == 0", "rows - 2 >= 0")")),
      "no error");
}

TEST(OpSpec, NoWorkloadAtAll) {
  std::string text = k_valid_spec;
  const std::size_t begin = text.find("\"workloads\"");
  const std::size_t end = text.find("\"ladder\"");
  text.erase(begin, end - begin);
  EXPECT_THAT(spec_error(text), HasSubstr("there is no workload; name at least one shape to time"));
  text.insert(begin, "\"workloads\": [],\n  ");
  EXPECT_THAT(spec_error(text), StartsWith("op.json:18:16: there is no workload"));
}

TEST(OpSpec, ResolvesAxes) {
  const OpSpec spec = spec_from(k_valid_spec);
  EXPECT_EQ(resolve_axes(spec, {{"rows", 3}, {"cols", 6}}),
            (Bindings{{"rows", 3}, {"cols", 6}, {"heads", 4}, {"wide", 24}}));
  EXPECT_TRUE(admissible(spec, {{"rows", 3}, {"cols", 6}}));
  EXPECT_FALSE(admissible(spec, {{"rows", 3}, {"cols", 5}}));
  EXPECT_FALSE(admissible(spec, {{"rows", 3}}));
  EXPECT_FALSE(admissible(spec, {{"rows", 0}, {"cols", 6}}));
  EXPECT_THROW(resolve_axes(spec, {{"rows", 3}, {"cols", 6}, {"wide", 24}}), Error);
}

TEST(OpSpec, ComputedAxesMayUseLaterOnesAndBeZero) {
  const OpSpec spec =
      spec_from(replaced(replaced(k_valid_spec, R"("heads": {"type": "const", "value": 4})",
                                  R"("heads": {"type": "expr", "expression": "wide / 1000"})"),
                         "cols * heads", "cols * 2"));
  const Bindings axes = resolve_axes(spec, {{"rows", 1}, {"cols", 2}});
  EXPECT_EQ(axes.at("wide"), 4);
  EXPECT_EQ(axes.at("heads"), 0);
}

TEST(OpSpec, AHandMadeCircleDoesNotHang) {
  OpSpec spec = spec_from(k_valid_spec);
  spec.axes[3].formula = Expression::parse("wide + 1");
  EXPECT_THROW(resolve_axes(spec, {{"rows", 1}, {"cols", 2}}), Error);
}

TEST(OpSpec, ShapesAndCounts) {
  const OpSpec spec = spec_from(k_valid_spec);
  const Bindings axes = resolve_axes(spec, {{"rows", 3}, {"cols", 6}});
  EXPECT_THAT(shape_of(spec.inputs[0], axes), testing::ElementsAre(3, 24));
  EXPECT_EQ(element_count(spec.inputs[0], axes), 72);
  EXPECT_TRUE(shape_of(spec.inputs[1], axes).empty());
  EXPECT_EQ(element_count(spec.inputs[1], axes), 1);
  EXPECT_THROW(element_count(spec.outputs[0], {{"rows", 1LL << 40}, {"wide", 1LL << 40}}), Error);
  EXPECT_EQ(element_count(spec.outputs[0], {{"rows", 1LL << 62}, {"wide", 0}}), 0);
}

}  // namespace
}  // namespace kernelloop
