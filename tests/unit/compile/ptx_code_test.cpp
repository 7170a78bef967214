#include "compile/ptx_code.hpp"

#include "compile/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PtxCode code_of(const std::string& text) {
  std::vector<std::string> lines;
  for_each_line(text, [&](std::string_view line) { lines.emplace_back(line); });
  return read_ptx_code(lines);
}

std::vector<std::string> opcodes_of(const std::string& text) {
  std::vector<std::string> result;
  for (const PtxInstruction& one : code_of(text).instructions) result.push_back(one.opcode);
  return result;
}

TEST(PtxCode, FindsInstructionsWhereverTheyStand) {
  EXPECT_THAT(opcodes_of("$L1: @%p1 bra.uni $L2; { add.f32 %f1, %f2, %f3;mul.f32 %f1, %f1, %f1;}"),
              ElementsAre("bra.uni", "add.f32", "mul.f32"));
  EXPECT_THAT(opcodes_of(".loc 1 2 3 mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1};"),
              ElementsAre("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"));
  EXPECT_THAT(opcodes_of("fma\n .rn /* a */ .bf16x2 %r1, %r2,\n %r3, %r4;"),
              ElementsAre("fma.rn.bf16x2"));
}

TEST(PtxCode, SeesNoneInCommentsStringsAndDirectives) {
  const PtxCode code = code_of(
      "// add.f32 %f1;\n/* mul.f32\n sub.f32 */ .pragma \"used add.f16\";\n"
      ".version 9.0\n.target sm_90a, debug\n.address_size 64\n.file 1 \"add.cu\", 1, 2\n"
      ".visible .entry k(.param .u64 .ptr .global k_param_0)\n.maxntid 256, 1, 1\n"
      "{\n.reg .b32 %r<3>;\n.loc 1 2 3, function_name $L__info_string0+4, inlined_at 1 2 3\n"
      "L: .branchtargets A, B;\nret;\n}\n.section .debug_str { .b8 1,2\n.b8 0 }\n");
  ASSERT_EQ(code.instructions.size(), 1u);
  EXPECT_EQ(code.instructions[0].opcode, "ret");
  EXPECT_THAT(code.unread, IsEmpty());
}

TEST(PtxCode, GuardsBlanksAndCommentsHideNothing) {
  EXPECT_THAT(opcodes_of("@p atom .global.add.u32 %0, [counter], 1;\n@p mov .u64 %1, %clock64;\n"
                         "L: @!q\n mma // c\n .sync /* d */ .aligned\n.m16n8k8 {%0}, {%1};\n"
                         "@ ! p{ ;; exit; }"),
              ElementsAre("atom.global.add.u32", "mov.u64", "mma.sync.aligned.m16n8k8", "exit"));
}

TEST(PtxCode, ListsWhatItCannotRead) {
  const auto unread = [](const std::string& text) {
    std::vector<std::string> result;
    for (const UnreadPtx& one : code_of(text).unread) {
      result.push_back(one.text + ":" + std::to_string(one.line));
    }
    return result;
  };
  EXPECT_THAT(unread("add.u32 a, b, c;\nfrobnicate.u32 a, b; sub.u32 a, b, c;"),
              ElementsAre("frobnicate.u32:2"));
  EXPECT_THAT(unread("#define hidden atom.global.add.u32\nhidden a, [b], 1;"), ElementsAre("#:1"));
  EXPECT_THAT(unread("mov. u32 a, b;\n.unknown x;\n) add.u32 a, b, c;\nadd.u32 a, \\ b;"),
              ElementsAre("mov.:1", ".unknown:2", "):3", "\\:4"));
}

TEST(PtxCode, KeepsOperandsLinesAndFunctions) {
  const PtxCode code = code_of(
      ".func (.param .b32 r) helper(.param .b64 a)\n{\nst.param.b32 [r+0], %r1;\n}\n"
      ".visible .entry k()\n{\nld.global.v2.f32 {%f1, %f2},\n [%rd1+8];\n}\n");
  ASSERT_EQ(code.instructions.size(), 2u);
  EXPECT_EQ(code.instructions[0].function, "helper");
  EXPECT_THAT(code.instructions[0].operands, ElementsAre("[", "r", "+", "0", "]", ",", "%r1"));
  EXPECT_EQ(code.instructions[1].function, "k");
  EXPECT_EQ(code.instructions[1].line, 7u);
  EXPECT_EQ(code.instructions[1].base(), "ld");
  EXPECT_THAT(code.instructions[1].modifiers(), ElementsAre("global", "v2", "f32"));
  EXPECT_THAT(code.instructions[1].operands,
              ElementsAre("{", "%f1", ",", "%f2", "}", ",", "[", "%rd1", "+", "8", "]"));
}

TEST(PtxCode, ListsVariablesOfGlobalAndConstantMemory) {
  const PtxCode code = code_of(
      ".version 9.0\n.address_size 64\n.global .align 4 .u32 count;\n"
      ".visible .global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
      ".global .attribute(.managed) .align 8 .u64 first, second = 5;\n"
      ".const .align 4 .b8 fixed[4];\n"
      ".visible .entry k(.param .u64 .ptr .global .align 16 k_param_0) { ret; }\n");
  std::vector<std::pair<std::string, bool>> found;
  for (const PtxVariable& one : code.variables) {
    found.emplace_back(one.name, one.initialised);
  }
  using P = std::pair<std::string, bool>;
  EXPECT_THAT(found, ElementsAre(P{"count", false}, P{"table", true}, P{"first", false},
                                 P{"second", true}, P{"fixed", false}));
}

}  // namespace
}  // namespace kernelloop
