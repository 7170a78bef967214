#include "verify/instruction_rules.hpp"

#include <gmock/gmock.h>

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

OpSpec spec_of(const std::string& dtype, const std::string& precision = "") {
  return parse_op_spec(parse_json(
      R"({"name": "op", "axes": {"n": {"type": "var"}},
          "inputs": {"x": {"shape": ["n", "n"], "dtype": ")" +
          dtype + R"("}},
          "outputs": {"y": {"shape": ["n"], "dtype": "float32"}}, "precision": {)" +
          precision + R"(}, "workloads": [{"name": "one", "axes": {"n": 8}}]})",
      "op.json"));
}

// As compile.json has it, of one architecture.
Json found(const Json& finding) {
  return {{"90a", {{"counts", Json::object()}, {"findings", Json::array({finding})}}}};
}

Json mma(const std::string& input, const std::string& accumulator) {
  return found({{"kind", "tensor_core"},
                {"opcode", "mma." + accumulator + "." + input},
                {"count", 1},
                {"line", 12},
                {"function", "k"},
                {"inputs", {input}},
                {"accumulator", accumulator}});
}

Json plain(const std::string& kind, const std::string& opcode) {
  return found({{"kind", kind}, {"opcode", opcode}, {"count", 3}, {"line", 7}, {"function", "k"}});
}

std::vector<std::string> broken(const Json& instructions, const OpSpec& spec) {
  return judge_instructions(instructions, spec).violations;
}

TEST(InstructionRules, TensorCoresTakeDeclaredTypes) {
  EXPECT_THAT(broken(mma("bf16", "f32"), spec_of("bfloat16")), IsEmpty());
  EXPECT_THAT(broken(mma("tf32", "f32"), spec_of("bfloat16")), IsEmpty());
  EXPECT_THAT(broken(mma("f16|bf16", ""), spec_of("bfloat16")), IsEmpty());
  EXPECT_THAT(broken(mma("s8", "s32"), spec_of("int8")), IsEmpty());
  EXPECT_THAT(broken(mma("tf32", "f32"), spec_of("float32", R"("allow_tf32": true)")), IsEmpty());
  EXPECT_THAT(
      broken(mma("tf32", "f32"), spec_of("float32")),
      ElementsAre("tensor_core_input: line 12: mma.f32.tf32 multiplies tf32 on tensor cores, which "
                  "rounds values that the op does not let be rounded (tensor cores may multiply: "
                  "f64); multiply in a declared type; tf32 needs precision.allow_tf32"));
  EXPECT_THAT(broken(mma("bf16", "f32"), spec_of("float32")),
              ElementsAre(HasSubstr("tensor_core_input: line 12: mma.f32.bf16 multiplies bf16")));
  EXPECT_THAT(broken(mma("bf16", "f32"), spec_of("float32", R"("allow_tf32": true)")),
              ElementsAre(HasSubstr("(tensor cores may multiply: f64, tf32)")));
  EXPECT_THAT(broken(mma("e4m3", "f32"), spec_of("bfloat16")),
              ElementsAre(HasSubstr("tensor_core_input")));
  EXPECT_THAT(broken(mma("bf16", "f32"), spec_of("bfloat16", R"("tensor_core_inputs": [])")),
              ElementsAre(HasSubstr("which precision.tensor_core_inputs of the op rules out")));
}

TEST(InstructionRules, AccumulatorsAreAsWideAsDeclared) {
  EXPECT_THAT(
      broken(mma("f16", "f16"), spec_of("float16")),
      ElementsAre("tensor_core_accumulator: line 12: mma.f16.f16 accumulates in f16, but the op "
                  "accumulates in float32 or wider; use the form with a wider accumulator"));
  EXPECT_THAT(broken(mma("f16", "f16"), spec_of("float16", R"("accumulate": "float16")")),
              IsEmpty());
  EXPECT_THAT(broken(mma("bf16", "f32"), spec_of("bfloat16", R"("accumulate": "float64")")),
              ElementsAre(HasSubstr("tensor_core_accumulator")));
}

TEST(InstructionRules, HalfArithmeticNeedsConsent) {
  const Json packed = plain("half_arithmetic", "fma.rn.bf16x2");
  EXPECT_THAT(
      broken(packed, spec_of("bfloat16")),
      ElementsAre("half_arithmetic: line 7: fma.rn.bf16x2 rounds a partial result to 16 bits, but "
                  "the op computes in float32 or wider; convert the operands to float, compute "
                  "there, and round the final result once (comparisons, min, max and conversions "
                  "in 16 bits are fine)"));
  EXPECT_THAT(broken(packed, spec_of("bfloat16", R"("allow_half_arithmetic": true)")), IsEmpty());
  EXPECT_THAT(broken(packed, spec_of("bfloat16", R"("accumulate": "bfloat16")")), IsEmpty());

  const Json reduction = plain("half_reduction", "atom.add.noftz.f16x2");
  EXPECT_THAT(broken(reduction, spec_of("float16", R"("allow_half_arithmetic": true)")),
              ElementsAre("half_reduction: line 7: atom.add.noftz.f16x2 adds up in memory in 16 "
                          "bits, but the op accumulates in float32 or wider; reduce in float and "
                          "convert once"));
  EXPECT_THAT(broken(reduction, spec_of("float16", R"("accumulate": "float16")")), IsEmpty());
}

TEST(InstructionRules, NotesWhatIsAllowed) {
  const InstructionVerdict policy = judge_instructions(
      plain("cache_policy", "createpolicy.fractional.L2::evict_last.b64"), spec_of("float32"));
  EXPECT_THAT(policy.violations, IsEmpty());
  EXPECT_THAT(
      policy.notes,
      ElementsAre("line 7: createpolicy.fractional.L2::evict_last.b64 steers what L2 keeps; "
                  "lines that it keeps are reset before every timed launch"));
  const InstructionVerdict special =
      judge_instructions(plain("approximate", "ex2.approx.ftz.f32"), spec_of("float32"));
  EXPECT_THAT(special.violations, IsEmpty());
  EXPECT_THAT(special.notes, ElementsAre("line 7: uses ex2.approx.ftz.f32"));
}

TEST(InstructionRules, JudgeEveryArchitectureOnce) {
  Json both = mma("tf32", "f32");
  both["100a"] = both["90a"];
  both["80"] = plain("half_arithmetic", "add.f16")["90a"];
  EXPECT_EQ(broken(both, spec_of("float32")).size(), 2u);
  EXPECT_THAT(broken(Json::object(), spec_of("float32")), IsEmpty());
  EXPECT_THAT(broken(Json(), spec_of("float32")), IsEmpty());
}

}  // namespace
}  // namespace kernelloop
