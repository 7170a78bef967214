#include "inspect/listing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data.hpp"

namespace kernelloop {
namespace {

const CodeFunction& named(const std::vector<CodeFunction>& functions, const std::string& name) {
  for (const CodeFunction& one : functions) {
    if (one.name == name) return one;
  }
  throw std::out_of_range(name);
}

TEST(SassListing, ReadsWhatNvdisasmPrints) {
  const auto functions = read_sass(recorded_listing("loops.nvdisasm.txt"), "loops.cu");
  ASSERT_EQ(functions.size(), 2u);
  const CodeFunction& nested = named(functions, "nested");
  ASSERT_EQ(nested.instructions.size(), 0x380u / 16);
  const CodeInstruction& load = nested.instructions[0x1a0 / 16];
  EXPECT_EQ(load.opcode, "LDG.E");
  EXPECT_EQ(load.text, "LDG.E R5, desc[UR6][R4.64]");
  EXPECT_EQ(load.source_line, 15u);
  const CodeInstruction& jump = nested.instructions[0x290 / 16];
  EXPECT_EQ(jump.predicate, "@!P2");
  EXPECT_EQ(jump.target, 0x190u / 16);
  EXPECT_TRUE(jump.falls_through);
  EXPECT_EQ(nested.instructions.back().opcode, "EXIT");
  EXPECT_FALSE(nested.instructions.back().falls_through);
}

TEST(SassListing, CountsInlinedCodeToTheLineThatCalls) {
  const auto functions = read_sass(recorded_listing("loops.nvdisasm.txt"), "loops.cu");
  EXPECT_EQ(named(functions, "nested").instructions[0x240 / 16].source_line, 17u);
  const auto elsewhere = read_sass(recorded_listing("loops.nvdisasm.txt"), "other.cu");
  EXPECT_EQ(named(elsewhere, "nested").instructions[0x240 / 16].source_line, 0u);
}

TEST(SassListing, ReadsTheSameFromCuobjdump) {
  const auto by_nvdisasm = read_sass(recorded_listing("loops.nvdisasm.txt"), "loops.cu");
  const auto by_cuobjdump = read_sass(recorded_listing("loops.cuobjdump.txt"), "loops.cu");
  ASSERT_EQ(by_cuobjdump.size(), by_nvdisasm.size());
  for (const CodeFunction& one : by_nvdisasm) {
    const CodeFunction& other = named(by_cuobjdump, one.name);
    ASSERT_EQ(other.instructions.size(), one.instructions.size());
    for (std::size_t i = 0; i < one.instructions.size(); ++i) {
      EXPECT_EQ(other.instructions[i].opcode, one.instructions[i].opcode);
      EXPECT_EQ(other.instructions[i].target, one.instructions[i].target);
      EXPECT_EQ(other.instructions[i].falls_through, one.instructions[i].falls_through);
    }
  }
}

TEST(SassListing, KnowsJumpsThatDependOnAnOperand) {
  const auto functions = read_sass(
      "Function : k\n/*0000*/ BRA.DIV UR4, 0x20 ;\n/*0010*/ BRA 0x0 ;\n/*0020*/ EXIT ;\n", "");
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_TRUE(functions[0].instructions[0].falls_through);
  EXPECT_EQ(functions[0].instructions[0].target, 2u);
  EXPECT_FALSE(functions[0].instructions[1].falls_through);
}

TEST(SassListing, IgnoresWhatIsNoListing) {
  EXPECT_TRUE(read_sass("", "k.cu").empty());
  EXPECT_TRUE(read_sass("nvdisasm fatal : no code\n/*0000*/ NOP ;\n", "k.cu").empty());
}

TEST(PtxListing, ReadsFunctionsLabelsAndGuards) {
  const auto functions = read_ptx(recorded_listing("loops.ptx"), "/src/loops.cu");
  const CodeFunction& nested = named(functions, "nested");
  std::size_t jumps_back = 0;
  for (std::size_t i = 0; i < nested.instructions.size(); ++i) {
    const CodeInstruction& one = nested.instructions[i];
    if (one.opcode.rfind("bra", 0) != 0) continue;
    EXPECT_NE(one.target, CodeInstruction::k_nowhere) << one.text;
    if (one.target <= i) ++jumps_back;
  }
  EXPECT_EQ(jumps_back, 3u);
  EXPECT_EQ(nested.instructions.back().opcode, "ret");
  EXPECT_FALSE(nested.instructions.back().falls_through);
  const auto has_source = [](const CodeInstruction& one) { return one.source_line == 17; };
  EXPECT_TRUE(std::any_of(nested.instructions.begin(), nested.instructions.end(), has_source));
}

TEST(PtxListing, JoinsAnInstructionThatIsSpreadOverLines) {
  const auto functions = read_ptx(
      ".visible .entry k(\n)\n{\n\t{ mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32\n"
      " {%f1}, {%r1},\n {%r2}, {%f1};\n}\n\tret;\n}\n",
      "k.cu");
  ASSERT_EQ(functions.size(), 1u);
  ASSERT_EQ(functions[0].instructions.size(), 2u);
  EXPECT_EQ(functions[0].instructions[0].opcode,
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
}

}  // namespace
}  // namespace kernelloop
