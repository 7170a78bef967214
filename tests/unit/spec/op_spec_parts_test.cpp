// Which change of a spec reaches which part, and so which steps run again.
#include <gtest/gtest.h>

#include "spec_texts.hpp"

namespace kernelloop {
namespace {

// The parts that a change of the text changes, as letters: c(ontract), k (checks), t(iming).
std::string changed_by(const std::string& from, const std::string& to) {
  const SpecParts before = split_spec(parse_json(k_valid_spec, "op.json"));
  const SpecParts after = split_spec(parse_json(with(from, to), "op.json"));
  std::string changed;
  if (to_text(before.contract) != to_text(after.contract)) changed += 'c';
  if (to_text(before.checks) != to_text(after.checks)) changed += 'k';
  if (to_text(before.timing) != to_text(after.timing)) changed += 't';
  return changed;
}

TEST(SpecParts, WhatChangesNothing) {
  EXPECT_EQ(changed_by("y = x * gain", "other words"), "");
  EXPECT_EQ(changed_by(R"("description": "rows")", R"("description": "lines")"), "");
  EXPECT_EQ(changed_by(R"(, "description": "in")", ""), "");
  EXPECT_EQ(changed_by(R"("description": "out")", R"("description": "the result")"), "");
  EXPECT_EQ(changed_by("{\n", "{ \"$schema\": \"op.schema.json\", \"schema_version\": 1,\n\n"), "");
  EXPECT_EQ(changed_by(R"("accumulate": "float32", )", ""), "");  // the default
  EXPECT_EQ(changed_by(R"("devices": ["cpu"]})", R"("devices": ["cpu"], "weight": 1})"), "");
  EXPECT_EQ(changed_by(R"({"rows": 3, "cols": 4})", R"({"cols": 4, "rows": 3})"), "");
}

TEST(SpecParts, WhatReachesOnlyTheChecks) {
  EXPECT_EQ(changed_by("0.001", "0.002"), "k");
  EXPECT_EQ(changed_by(R"("max_abs")", R"("max_rel")"), "k");
  EXPECT_EQ(changed_by(R"({"rows": 7, "cols": 6})", R"({"rows": 7, "cols": 8})"), "k");
  EXPECT_EQ(changed_by(R"({"rows": 5, "cols": 10})", R"({"rows": 6, "cols": 10})"), "k");
}

TEST(SpecParts, WhatReachesOnlyTheTiming) {
  EXPECT_EQ(changed_by("rows * wide * 6", "rows * wide * 7"), "t");
  EXPECT_EQ(changed_by(R"("fp32")", R"("sfu")"), "t");
  EXPECT_EQ(changed_by(R"("weight": 2)", R"("weight": 3)"), "t");
}

TEST(SpecParts, WhatReachesChecksAndTiming) {
  EXPECT_EQ(changed_by(R"({"rows": 3, "cols": 4})", R"({"rows": 4, "cols": 4})"), "kt");
  EXPECT_EQ(changed_by(R"("scalars": {"gain": 3})", R"("scalars": {"gain": 4})"), "kt");
  EXPECT_EQ(changed_by(R"(, "devices": ["cpu"])", ""), "kt");
}

TEST(SpecParts, WhatReachesEverything) {
  EXPECT_EQ(changed_by("bfloat16", "float16"), "ckt");
  EXPECT_EQ(changed_by("cols % 2 == 0", "cols % 2 < 1"), "ckt");
  EXPECT_EQ(changed_by(R"("value": 4)", R"("value": 6)"), "ckt");
  EXPECT_EQ(changed_by(R"("value": 2})", R"("value": 3})"), "ckt");
  EXPECT_EQ(changed_by("\"allow_tf32\": false", "\"allow_tf32\": true"), "ckt");
  const std::string tf32 = R"("allow_tf32": false)";
  EXPECT_EQ(changed_by(tf32, tf32 + R"(, "deterministic": false)"), "ckt");
  EXPECT_EQ(changed_by(tf32, tf32 + R"(, "deterministic": true)"), "");  // the default
  const std::string type = R"("dtype": "bfloat16", )";
  EXPECT_EQ(changed_by(type, type + R"("alignment": 2, )"), "ckt");
  EXPECT_EQ(changed_by(type, type + R"("alignment": 16, )"), "");  // the default
  EXPECT_EQ(changed_by("\"scale\"", "\"scales\""), "ckt");
}

TEST(SpecParts, KeepThePrecisionAndLeaveOutItsDefaults) {
  const std::string precision = R"("accumulate": "float32", "allow_tf32": false)";
  EXPECT_EQ(changed_by(precision, R"("nonfinite": "propagate", "denormals": "may_flush")"), "");
  const SpecParts parts = split_spec(
      parse_json(with(precision, R"("intermediate": "bfloat16", "terms": "cols * 2", "exact": false,
                         "nonfinite": "undefined", "denormals": "preserve")"),
                 "op.json"));
  for (const Json& part : {parts.contract, parts.checks, parts.timing}) {
    const Precision read = parse_op_spec(parse_json(to_text(part), "part.json")).precision;
    EXPECT_EQ(read.intermediate, DType::bfloat16);
    ASSERT_TRUE(read.terms);
    EXPECT_EQ(read.terms->text(), "cols * 2");
    EXPECT_EQ(read.nonfinite, Precision::Nonfinite::undefined);
    EXPECT_EQ(read.denormals, Precision::Denormals::preserve);
    EXPECT_EQ(read.exact, false);
  }
}

TEST(SpecParts, KeepWhatFamiliesMayDraw) {
  const SpecParts parts = split_spec(parse_json(
      with(R"("value": 2})",
           R"("value": 2, "at_least": 0.5, "at_most": 8, "families": ["ties", "constant"]})"),
      "op.json"));
  const OpSpec spec = parse_op_spec(parse_json(to_text(parts.checks), "checks.json"));
  const InputValues& values = spec.find_tensor("gain")->values;
  EXPECT_EQ(values.at_least, 0.5);
  EXPECT_EQ(values.at_most, 8.0);
  EXPECT_EQ(values.families, (std::vector<std::string>{"ties", "constant"}));
}

TEST(SpecParts, KeepHowInputsAreDrawn) {
  const std::string values =
      R"("values": {"family": "integers", "low": 1, "high": "cols - 1", "special": {"value": -7, "share": 0.5}})";
  EXPECT_EQ(changed_by(R"("description": "in")", values), "ckt");
  const SpecParts parts = split_spec(parse_json(with(R"("description": "in")", values), "op.json"));
  for (const Json* part : {&parts.contract, &parts.checks, &parts.timing}) {
    const Tensor x = parse_op_spec(parse_json(to_text(*part), "part.json")).inputs[0];
    EXPECT_EQ(x.values.low, 1.0);
    EXPECT_EQ(x.values.high_formula->text(), "cols - 1");
    EXPECT_EQ(x.values.special_value, -7.0);
    EXPECT_EQ(x.values.special_share, 0.5);
  }
}

TEST(SpecParts, EachCanBeReadAgain) {
  const SpecParts parts = split_spec(parse_json(k_valid_spec, "op.json"));
  for (const Json* part : {&parts.contract, &parts.checks, &parts.timing}) {
    const JsonDocument document = parse_json(to_text(*part), "part.json");
    const OpSpec spec = parse_op_spec(document);
    EXPECT_EQ(document.value["schema_version"], 1);
    EXPECT_EQ(spec.name, "scale");
    EXPECT_EQ(spec.axes.size(), 4U);
    EXPECT_EQ(spec.inputs[1].values.value, 2.0);
    EXPECT_TRUE(spec.inputs[1].scalar);
    EXPECT_EQ(spec.constraints.size(), 1U);
  }
  const OpSpec contract = parse_op_spec(parse_json(to_text(parts.contract), "part.json"));
  EXPECT_TRUE(contract.workloads.empty());
  const OpSpec checks = parse_op_spec(parse_json(to_text(parts.checks), "part.json"));
  EXPECT_EQ(checks.workloads.size(), 2U);
  EXPECT_EQ(checks.ladder.holdout.size(), 1U);
  EXPECT_EQ(checks.ladder.shapes.at("shapes").size(), 2U);
  EXPECT_EQ(checks.tolerance.limits.at("max_abs"), 0.001);
  const OpSpec timing = parse_op_spec(parse_json(to_text(parts.timing), "part.json"));
  EXPECT_EQ(timing.workloads[1].weight, 2.0);
  EXPECT_EQ(timing.workloads[1].scalars.at("gain"), 3.0);
  EXPECT_EQ(timing.cost.bytes.text(), "rows * wide * 6");
  EXPECT_TRUE(timing.ladder.holdout.empty());
}

}  // namespace
}  // namespace kernelloop
