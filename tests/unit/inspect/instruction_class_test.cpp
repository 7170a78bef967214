#include "inspect/instruction_class.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

std::string_view sass(std::string_view opcode) {
  return k_instruction_classes[class_of(Listing::Language::sass, opcode)].name;
}
std::string_view ptx(std::string_view opcode) {
  return k_instruction_classes[class_of(Listing::Language::ptx, opcode)].name;
}

TEST(InstructionClass, OfSass) {
  EXPECT_EQ(sass("HGMMA.64x64x16.F32.BF16"), "tensor");
  EXPECT_EQ(sass("HMMA.16816.F32"), "tensor");
  EXPECT_EQ(sass("HFMA2.BF16_V2"), "fp16/bf16");
  EXPECT_EQ(sass("LDG.E.128"), "global load");
  EXPECT_EQ(sass("LDGSTS.E.BYPASS.128"), "bulk copy");
  EXPECT_EQ(sass("UTMALDG.2D"), "bulk copy");
  EXPECT_EQ(sass("LDSM.16.MT88.4"), "shared load");
  EXPECT_EQ(sass("LDS.U.128"), "shared load");
  EXPECT_EQ(sass("LD.E"), "global load");
  EXPECT_EQ(sass("LDL.LU"), "local (spills)");
  EXPECT_EQ(sass("RED.E.ADD.F32.FTZ.RN"), "atomic");
  EXPECT_EQ(sass("REDUX.SUM"), "shuffle/vote");
  EXPECT_EQ(sass("MUFU.EX2"), "special");
  EXPECT_EQ(sass("F2FP.BF16.F32.PACK_AB"), "conversion");
  EXPECT_EQ(sass("FFMA.FTZ"), "fp32");
  EXPECT_EQ(sass("IMAD.MOV.U32"), "move/other");
  EXPECT_EQ(sass("IMAD.WIDE"), "integer");
  EXPECT_EQ(sass("LDC.64"), "move/other");
  EXPECT_EQ(sass("SYNCS.PHASECHK.TRANS64.TRYWAIT"), "barrier/fence");
  EXPECT_EQ(sass("SOMETHING.NEW"), "move/other");
}

TEST(InstructionClass, OfPtx) {
  EXPECT_EQ(ptx("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16"), "tensor");
  EXPECT_EQ(ptx("ld.global.nc.v4.f32"), "global load");
  EXPECT_EQ(ptx("ld.param.b64"), "move/other");
  EXPECT_EQ(ptx("ld.shared.f32"), "shared load");
  EXPECT_EQ(ptx("st.local.b32"), "local (spills)");
  EXPECT_EQ(ptx("cp.async.cg.shared.global"), "bulk copy");
  EXPECT_EQ(ptx("fma.rn.f32"), "fp32");
  EXPECT_EQ(ptx("fma.rn.bf16x2"), "fp16/bf16");
  EXPECT_EQ(ptx("add.s32"), "integer");
  EXPECT_EQ(ptx("ex2.approx.ftz.f32"), "special");
  EXPECT_EQ(ptx("setp.lt.f32"), "fp32");
  EXPECT_EQ(ptx("bar.sync"), "barrier/fence");
}

TEST(InstructionClass, WidthsOfAccesses) {
  EXPECT_EQ(access_bytes(Listing::Language::sass, "LDG.E.128.CONSTANT"), 16);
  EXPECT_EQ(access_bytes(Listing::Language::sass, "STG.E"), 4);
  EXPECT_EQ(access_bytes(Listing::Language::sass, "LDS.U16"), 2);
  EXPECT_EQ(access_bytes(Listing::Language::sass, "FFMA"), 0);
  EXPECT_EQ(access_bytes(Listing::Language::ptx, "ld.global.nc.v4.f32"), 16);
  EXPECT_EQ(access_bytes(Listing::Language::ptx, "st.global.b16"), 2);
  EXPECT_EQ(access_bytes(Listing::Language::ptx, "ld.global.u8"), 1);
  EXPECT_EQ(access_bytes(Listing::Language::ptx, "add.s32"), 0);
}

TEST(InstructionClass, ConstantsByTheHalfPipeAreMoves) {
  CodeInstruction one;
  one.opcode = "HFMA2.MMA";
  one.text = "HFMA2.MMA R9, -RZ, RZ, 0, 0";
  EXPECT_EQ(k_instruction_classes[class_of(Listing::Language::sass, one)].name, "move/other");
  one.text = "HFMA2.MMA R9, R2, R3, R4";
  EXPECT_EQ(k_instruction_classes[class_of(Listing::Language::sass, one)].name, "fp16/bf16");
}

}  // namespace
}  // namespace kernelloop
