#include "compile/instructions.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;

Instructions instructions_of(const std::string& text) {
  const PtxModule module(text, "arithmetic.cu");
  return read_instructions(read_ptx_code(module.lines()), module);
}

// "tensor_core mma...: bf16 -> f32" for one instruction of that opcode.
std::string kind_of(const std::string& opcode) {
  const Instructions all = instructions_of(".visible .entry k()\n{\n" + opcode + " %r1, %r2;\n}\n");
  if (all.findings.empty()) return "";
  const InstructionFinding& one = all.findings.front();
  if (one.kind != "tensor_core") return one.kind;
  return fmt::format("{} -> {}", fmt::join(one.inputs, " "), one.accumulator);
}

TEST(Instructions, NamesTheTypesOfTensorCores) {
  EXPECT_EQ(kind_of("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"), "bf16 -> f32");
  EXPECT_EQ(kind_of("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"), "f16 -> f16");
  EXPECT_EQ(kind_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16"), "f16 -> f16");
  EXPECT_EQ(kind_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"), "tf32 -> f32");
  EXPECT_EQ(kind_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"), "f64 -> f64");
  EXPECT_EQ(kind_of("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32"), "u8 s8 -> s32");
  EXPECT_EQ(kind_of("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32"),
            "e4m3 e2m1 -> f32");
  EXPECT_EQ(kind_of("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"),
            "f16 -> f32");
  EXPECT_EQ(kind_of("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"), "f16 -> f32");
  EXPECT_EQ(kind_of("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16"), "f16 -> f16");
  EXPECT_EQ(kind_of("wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32"), "tf32 -> f32");
  EXPECT_EQ(kind_of("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16"), "bf16 -> f32");
  EXPECT_EQ(kind_of("wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16"), "f16 -> f16");
  EXPECT_EQ(kind_of("wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2"), "e4m3 e5m2 -> f32");
  EXPECT_EQ(kind_of("tcgen05.mma.cta_group::1.kind::tf32"), "tf32 -> ");
  EXPECT_EQ(kind_of("tcgen05.mma.cta_group::2.kind::f16"), "f16|bf16 -> ");
  EXPECT_EQ(kind_of("wgmma.fence.sync.aligned"), "");
  EXPECT_EQ(kind_of("tcgen05.ld.sync.aligned.32x32b.x1.b32"), "");
  EXPECT_EQ(kind_of("ldmatrix.sync.aligned.m8n8.x4.shared.b16"), "");
}

TEST(Instructions, TellsHalfArithmeticFromWhatIsExact) {
  for (const char* rounds : {"add.f16", "fma.rn.bf16x2", "mul.rn.f16x2", "ex2.approx.ftz.bf16x2",
                             "tanh.approx.f16", "fma.rn.relu.bf16", "sub.rn.bf16"}) {
    EXPECT_EQ(kind_of(rounds), "half_arithmetic") << rounds;
  }
  for (const char* exact : {"max.bf16x2", "min.NaN.f16", "setp.gt.bf16", "neg.bf16x2", "abs.f16",
                            "cvt.rn.bf16x2.f32", "cvt.f32.bf16", "ld.global.b16", "add.f32",
                            "fma.rn.f32", "add.rn.f32.bf16", "mul.lo.s32"}) {
    EXPECT_EQ(kind_of(exact), "") << exact;
  }
}

TEST(Instructions, FindsHalfReductionsInMemory) {
  EXPECT_EQ(kind_of("atom.add.noftz.bf16x2"), "half_reduction");
  EXPECT_EQ(kind_of("red.global.add.noftz.f16"), "half_reduction");
  EXPECT_EQ(kind_of("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16"),
            "half_reduction");
  EXPECT_EQ(kind_of("multimem.ld_reduce.relaxed.sys.global.add.acc::f32.bf16x2"), "");
  EXPECT_EQ(kind_of("red.global.add.f32"), "");
  EXPECT_EQ(kind_of("red.global.max.noftz.bf16x2"), "");
}

TEST(Instructions, ListsTheRest) {
  EXPECT_EQ(kind_of("ex2.approx.ftz.f32"), "approximate");
  EXPECT_EQ(kind_of("ld.global.L2::evict_last.f32"), "cache_policy");
  EXPECT_EQ(kind_of("createpolicy.fractional.L2::evict_first.b64"), "cache_policy");
  EXPECT_EQ(kind_of("ld.global.L1::evict_last.f32"), "");
  EXPECT_EQ(kind_of("ld.global.L1::no_allocate.L2::128B.f32"), "");
  EXPECT_EQ(kind_of("griddepcontrol.launch_dependents"), "dependent_launch");
  EXPECT_EQ(kind_of("griddepcontrol.wait"), "");
  EXPECT_EQ(kind_of("mov.u32 %r5, %clock;\nnanosleep.u32"), "clock");
  EXPECT_EQ(kind_of("mov.u64 %rd5, %gridid;\nmov.u32"), "clock");
  EXPECT_EQ(kind_of("mov.u32 %r5, %smid;\nmov.u32"), "");
}

// "kind opcode xN line" of the fixture, which nvcc made.
TEST(Instructions, OfACompiledFile) {
  const Instructions all = instructions_of(recorded("arithmetic.ptx"));
  std::vector<std::string> found;
  for (const InstructionFinding& one : all.findings) {
    found.push_back(fmt::format("{} {} x{} {} line {}", one.kind, one.opcode, one.count,
                                one.function, one.line));
  }
  EXPECT_THAT(
      found,
      ElementsAre(
          "approximate div.approx.f32 x2 softmax_row line 58",
          "approximate ex2.approx.f32 x2 softmax_row line 56",
          "cache_policy createpolicy.fractional.L2::evict_last.b64 x1 keeps line 93",
          "cache_policy ld.global.L2::cache_hint.f32 x1 keeps line 97",
          "clock %clock64 x1 looks_at_clock line 80", "clock %globaltimer x2 waits line 87",
          "clock %globaltimer x1 looks_at_clock line 79",
          "dependent_launch griddepcontrol.launch_dependents x1 keeps line 99",
          "half_arithmetic add.bf16x2 x1 packed_sum line 63",
          "half_arithmetic fma.rn.bf16x2 x1 packed_sum line 63",
          "half_reduction atom.add.noftz.f16x2 x1 memory_sum line 67",
          "tensor_core mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 x1 gemm_half line 43",
          "tensor_core mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 x1 gemm line 21",
          "tensor_core mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 x1 gemm_tf32 line 32"));
  EXPECT_EQ(all.counts.at("bf16_tensor"), 1u);
  EXPECT_EQ(all.counts.at("tf32_tensor"), 1u);
  EXPECT_EQ(all.counts.at("fp16_tensor"), 1u);
  EXPECT_EQ(all.counts.at("sfu"), 4u);
  EXPECT_EQ(all.counts.at("bf16"), 3u);  // two sums and a maximum
}

TEST(Instructions, AreWrittenForTheVerdict) {
  const Json json = to_json(instructions_of(
      ".entry k() {\nmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1};\n}\n"));
  EXPECT_EQ(json, Json::parse(R"({"counts": {"bf16_tensor": 1}, "findings": [
      {"kind": "tensor_core", "opcode": "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
       "count": 1, "line": 0, "function": "k", "inputs": ["bf16"], "accumulator": "f32"}]})"));
}

}  // namespace
}  // namespace kernelloop
