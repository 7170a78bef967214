// The test of the test ladder: what it says of ladders that are good, too wide, or too narrow.
#include "verify/oracle.hpp"

#include "support/files.hpp"
#include "verify/elements.hpp"
#include "verify/mutants.hpp"
#include "verify/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"

#include <cmath>
#include <limits>

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class OracleTest : public testing::Test {
 protected:
  OracleTest() : spec_(read_json(KERNELLOOP_TEST_OPS "/softmax/op.json").value) {
    // Enough to climb, and quick.
    spec_["ladder"] = {{"smoke", {{{"rows", 4}, {"cols", 64}}}},
                       {"shapes", {{{"rows", 3}, {"cols", 33}}}}};
    spec_["workloads"] =
        Json::array({{{"name", "w"}, {"axes", {{"rows", 8}, {"cols", 32}}}, {"weight", 1}}});
  }

  OracleResult run(const std::string& reference = KERNELLOOP_TEST_SOFTMAX) {
    spec_.erase("$schema");
    write_file_atomic(directory_.path() / "op.json", to_text(spec_));
    OracleOptions options;
    options.spec = directory_.path() / "op.json";
    options.reference = reference;
    options.rules = k_verification_rules;
    return run_oracle(options);
  }

  static const OracleFinding& find(const OracleResult& result, const std::string& mutant) {
    for (const OracleFinding& finding : result.findings) {
      if (finding.mutant == mutant) return finding;
    }
    throw std::out_of_range(mutant);
  }

  TemporaryDirectory directory_;
  Json spec_;
};

TEST_F(OracleTest, AGoodLadderRejectsEveryMutant) {
  const OracleResult result = run();
  EXPECT_TRUE(result.passed) << result.summary << "\n" << result.table;
  EXPECT_EQ(result.honest, "");
  EXPECT_EQ(find(result, "zeros").status, OracleFinding::Status::caught);
  EXPECT_EQ(find(result, "zeros").rung, "smoke");
  EXPECT_THAT(find(result, "skipped_tail").reason, HasSubstr("y"));
  EXPECT_EQ(result.json.at("status"), "passed");
  EXPECT_EQ(result.json.at("mutants").size(), result.findings.size());
  EXPECT_THAT(result.summary, HasSubstr("softmax: "));
}

TEST_F(OracleTest, ATooWideToleranceIsNamed) {
  spec_["tolerance"] = {{"normwise", 2.0}, {"elementwise", 1e99}, {"psnr", 1}, {"cosine", 0}};
  const OracleResult result = run();
  EXPECT_FALSE(result.passed);
  const OracleFinding& finding = find(result, "row_mean");
  EXPECT_EQ(finding.status, OracleFinding::Status::passed);
  EXPECT_THAT(finding.reason,
              AllOf(HasSubstr("psnr 1"), HasSubstr("is too wide: the derived limits catch it")));
  EXPECT_THAT(result.summary, HasSubstr("wrong results pass every rung"));
  // What no limit can excuse is caught all the same.
  EXPECT_EQ(find(result, "nan").status, OracleFinding::Status::caught);
}

TEST_F(OracleTest, InputsThatMakeTheOutputUniformAreNamed) {
  spec_["inputs"]["x"]["values"] = {{"family", "constant"}, {"value", 1.0}};
  spec_["tolerance"] = Json::object();
  const OracleResult result = run();
  // Other families of inputs, where a rung has them, catch it in spite of this.
  const OracleFinding& finding = find(result, "row_mean");
  if (finding.status == OracleFinding::Status::passed) {
    EXPECT_THAT(finding.reason, HasSubstr("give the inputs `values` that spread them"));
    EXPECT_FALSE(result.passed);
  } else {
    EXPECT_NE(finding.rung, "smoke");
  }
}

TEST_F(OracleTest, AToleranceThatTheHonestResultMissesIsNamed) {
  spec_["tolerance"] = {{"max_abs", 0.0}};
  const OracleResult result = run();
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.honest, HasSubstr("rung smoke: "));
  EXPECT_THAT(result.summary, HasSubstr("the reference's own result, rounded, fails"));
}

// Counts the positive elements of each row of one input into whole numbers, which no number of
// bits of the input changes.
TEST_F(OracleTest, AMutantThatIsAlwaysRightIsNone) {
  spec_ = {{"name", "count"},
           {"axes", {{"rows", {{"type", "var"}}}, {"cols", {{"type", "var"}}}}},
           {"inputs", {{"x", {{"shape", {"rows", "cols"}}, {"dtype", "float32"}}}}},
           {"outputs", {{"y", {{"shape", {"rows"}}, {"dtype", "int32"}}}}},
           {"workloads", {{{"name", "w"}, {"axes", {{"rows", 8}, {"cols", 32}}}}}},
           {"ladder",
            {{"smoke", {{{"rows", 4}, {"cols", 64}}}}, {"shapes", {{{"rows", 3}, {"cols", 33}}}}}}};
  const OracleResult result = run(KERNELLOOP_TEST_COUNT);
  EXPECT_TRUE(result.passed) << result.summary << "\n" << result.table;
  const OracleFinding& cut = find(result, "cut_inputs");
  EXPECT_EQ(cut.status, OracleFinding::Status::inapplicable);
  EXPECT_THAT(cut.reason, AllOf(HasSubstr("it is the right result in all "),
                                HasSubstr("no result depends on the bits that are cut")));
  EXPECT_EQ(find(result, "zeros").status, OracleFinding::Status::caught);
}

// That a result is always the same excuses no mutant that could have been wrong.
TEST_F(OracleTest, OutputsThatAreAlwaysZeroExcuseNothing) {
  spec_ = {{"name", "count"},
           {"axes", {{"rows", {{"type", "var"}}}, {"cols", {{"type", "var"}}}}},
           {"inputs",
            {{"x",
              {{"shape", {"rows", "cols"}},
               {"dtype", "int32"},
               {"values", {{"family", "integers"}, {"low", -8}, {"high", -1}}}}}}},
           {"outputs", {{"y", {{"shape", {"rows"}}, {"dtype", "int32"}}}}},
           {"workloads", {{{"name", "w"}, {"axes", {{"rows", 8}, {"cols", 32}}}}}},
           {"ladder", {{"smoke", {{{"rows", 4}, {"cols", 64}}}}}}};
  const OracleResult result = run(KERNELLOOP_TEST_COUNT);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(find(result, "zeros").status, OracleFinding::Status::passed);
}

Tensor output_of(DType type) {
  Tensor output;
  output.name = "y";
  output.shape = {"n"};
  output.dtype = type;
  return output;
}

std::string inapplicable(const OpSpec& spec, DType type, const std::string& name) {
  for (const Mutant& mutant : mutants_of(spec, output_of(type))) {
    if (mutant.name == name) return mutant.inapplicable;
  }
  return "no such mutant";
}

TEST(Mutants, SayWhyTheyCannotBeMade) {
  const OpSpec spec = samples::softmax();
  EXPECT_EQ(inapplicable(spec, DType::int32, "nan"), "the output's type has no NaN");
  Tensor single = output_of(DType::float32);
  single.shape.clear();
  for (const Mutant& mutant : mutants_of(spec, single)) {
    if (mutant.name == "mean" || mutant.name == "constant") {
      EXPECT_EQ(mutant.inapplicable, "the output is one element");
    }
  }
  EXPECT_EQ(inapplicable(spec, DType::int32, "lower_precision"), "the output holds integers");
  EXPECT_EQ(inapplicable(spec, DType::float8_e4m3, "lower_precision"),
            "no format has fewer bits than the output's");
  EXPECT_EQ(inapplicable(spec, DType::bfloat16, "copied_input"),
            "no input has the output's shape and dtype");
  EXPECT_EQ(inapplicable(spec, DType::bfloat16, "row_mean"), "the output has no rows");
  EXPECT_EQ(inapplicable(spec, DType::bfloat16, "zeros"), "");
}

TEST(Mutants, CutSignificands) {
  EXPECT_EQ(cut_significand(1.0 + 0x1p-8, 8), 1.0);  // half a step: to even
  EXPECT_EQ(cut_significand(1.0 + 0x1.8p-7, 8), 1.0 + 0x1p-6);
  EXPECT_EQ(cut_significand(-3.0, 2), -3.0);
  EXPECT_EQ(cut_significand(-3.0, 1), -4.0);
  EXPECT_EQ(cut_significand(0x1p-1070, 4), 0x1p-1070);
  EXPECT_EQ(cut_significand(0.0, 4), 0.0);
  EXPECT_TRUE(std::isinf(cut_significand(std::numeric_limits<double>::infinity(), 4)));
}

}  // namespace
}  // namespace kernelloop
