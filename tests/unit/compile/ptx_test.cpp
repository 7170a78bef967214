#include "compile/ptx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;

std::vector<std::pair<std::size_t, std::size_t>> layout(const KernelInfo& kernel) {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  for (const KernelParameter& one : kernel.parameters) result.emplace_back(one.offset, one.size);
  return result;
}

constexpr const char* k_kernels = R"(
.version 9.0
.visible .entry k1(
	.param .u64 .ptr .global .align 16 k1_param_0,
	.param .u32 k1_param_1,
	.param .u64 k1_param_2,
	.param .align 2 .b8 k1_param_3[2],
	.param .align 64 .b8 k1_param_4[128],
	.param .align 1 .b8 k1_param_5[3],
	.param .f64 k1_param_6, .param .u8 k1_param_7
)
.maxntid 64, 4, 1
.minnctapersm 2
{
	ret;
}
.entry plain()
.reqntid 128
{
	ret;
}
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0
)
;
.func  (.param .b32 func_retval0) _Z4selfi(
	.param .b32 _Z4selfi_param_0
)
{ ret; }
)";

TEST(Ptx, ReadsParametersWithTheirNaturalAlignment) {
  const PtxModule module(k_kernels, "k.cu");
  ASSERT_EQ(module.kernels().size(), 2u);
  const KernelInfo& kernel = module.kernels()[0].info;
  EXPECT_EQ(kernel.name, "k1");
  using P = std::pair<std::size_t, std::size_t>;
  EXPECT_THAT(layout(kernel), ElementsAre(P{0, 8}, P{8, 4}, P{16, 8}, P{24, 2}, P{64, 128},
                                          P{192, 3}, P{200, 8}, P{208, 1}));
  EXPECT_EQ(kernel.max_threads_per_block, 256);
  EXPECT_FALSE(kernel.required_block.has_value());
}

TEST(Ptx, ReadsARequiredBlockAndNoParameters) {
  const PtxModule module(k_kernels, "k.cu");
  const PtxKernel* kernel = module.find("plain");
  ASSERT_NE(kernel, nullptr);
  EXPECT_THAT(kernel->info.parameters, testing::IsEmpty());
  EXPECT_EQ(kernel->info.required_block, (std::array<int, 3>{128, 1, 1}));
  EXPECT_EQ(kernel->info.max_threads_per_block, 128);
  EXPECT_EQ(module.find("absent"), nullptr);
}

TEST(Ptx, ListsFunctionsLeftToTheDeviceRuntime) {
  EXPECT_THAT(PtxModule(k_kernels, "k.cu").extern_functions(), ElementsAre("vprintf"));
}

TEST(Ptx, LeadsLinesBackToTheSource) {
  const PtxModule module(recorded("asm.ptx"), "/version/asm.cu");
  EXPECT_EQ(module.find("first")->line, 1u);
  EXPECT_EQ(module.find("clash")->line, 2u);
  EXPECT_EQ(module.find("k")->line, 8u);
  // A directive before the body of its kernel, not the end of the kernel before.
  EXPECT_EQ(module.place(41).line, 2u);
  // Inline assembly of an inlined function: where it is written.
  EXPECT_EQ(module.place(72).line, 5u);
  EXPECT_THAT(module.place(72).text, testing::StartsWith("bogus.op.s32"));
  EXPECT_EQ(module.place(0).line, 0u);
  EXPECT_EQ(module.place(100000).line, 0u);
}

TEST(Ptx, KnowsNoLinesOfOtherFiles) {
  const PtxModule module(recorded("asm.ptx"), "/elsewhere/asm.cu");
  EXPECT_EQ(module.place(72).line, 0u);
}

TEST(Ptx, FollowsInlinedCodeToTheSource) {
  const PtxModule module(
      ".visible .entry k()\n{\n.loc 1 5 0\n.loc 2 261 5, function_name $L__info_string0, "
      "inlined_at 1 7 41\nbad;\nret;\n}\n.file 1 \"/v/k.cu\"\n.file 2 \"/usr/x.h\"\n",
      "/v/k.cu");
  EXPECT_EQ(module.place(5).line, 7u);
}

}  // namespace
}  // namespace kernelloop
