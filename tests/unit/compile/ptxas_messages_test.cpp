#include "compile/ptxas_messages.hpp"

#include "compile/ptx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const PtxModule& no_ptx() {
  static const PtxModule module("", "k.cu");
  return module;
}

std::vector<std::string> texts(const std::vector<Problem>& problems) {
  std::vector<std::string> result;
  for (const Problem& one : problems) {
    result.push_back((one.severity == Problem::Severity::error ? "error " : "warning ") +
                     std::to_string(one.line) + " " + one.message);
  }
  return result;
}

const FunctionResources& named(const std::vector<FunctionResources>& all, const std::string& name) {
  for (const FunctionResources& one : all) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no " + name);
}

TEST(PtxasMessages, ReadsTheResourcesOfEachKernel) {
  const std::vector<FunctionResources> all = function_resources(recorded("spill.txt"));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(named(all, "plain").registers, 10);
  const FunctionResources templ = named(all, "_Z5templIdLi128EEvPT_S0_");
  EXPECT_EQ(templ.static_shared_bytes, 1024);
  EXPECT_EQ(templ.barriers, 1);
  const FunctionResources spill = named(all, "spill_kernel");
  EXPECT_TRUE(spill.entry);
  EXPECT_EQ(spill.registers, 64);
  EXPECT_EQ(spill.stack_bytes, 336);
  EXPECT_EQ(spill.spill_store_bytes, 752);
  EXPECT_EQ(spill.spill_load_bytes, 724);
}

TEST(PtxasMessages, ReadsFunctionsThatAreNotInlined) {
  const std::vector<FunctionResources> all = function_resources(recorded("noinline.txt"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_FALSE(named(all, "_Z6helperfPf").entry);
  EXPECT_EQ(named(all, "g").stack_bytes, 160);
}

TEST(PtxasMessages, ReadsThousandsAndSumsConstantBanks) {
  const std::vector<FunctionResources> all = function_resources(
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas info    : Used 1,024 registers, used 2 barriers, 12,345 bytes smem, 400 bytes "
      "cmem[0], "
      "16 bytes cmem[2]\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].registers, 1024);
  EXPECT_EQ(all[0].static_shared_bytes, 12345);
  EXPECT_EQ(all[0].constant_bytes, 416);
}

TEST(PtxasMessages, WarnsOfSpillsAndLocalMemory) {
  EXPECT_THAT(
      texts(resource_warnings(function_resources(recorded("spill.txt")), no_ptx())),
      ElementsAre(HasSubstr("warning 0 kernel 'local_array' keeps 256 bytes per thread"),
                  "warning 0 kernel 'spill_kernel' spills registers to local memory: 752 bytes of "
                  "stores, 724 bytes of loads"));
  // Not twice: the report says the same in better words.
  EXPECT_THAT(ptxas_problems(recorded("spill.txt"), no_ptx()), IsEmpty());
}

TEST(PtxasMessages, GivesErrorsTheLinesOfTheSource) {
  const PtxModule module(recorded("asm.ptx"), "/version/asm.cu");
  EXPECT_THAT(
      texts(ptxas_problems(recorded("asm.txt"), module)),
      ElementsAre("error 2 ptxas: Conflicting directives: .reqnctapercluster and .maxclusterrank "
                  "cannot both be specified (in the PTX: .maxclusterrank 4)",
                  HasSubstr("error 5 ptxas: Unknown modifier '.op' (in the PTX: bogus.op.s32 "),
                  HasSubstr("error 5 ptxas: Not a name of any known instruction: 'bogus'")));
}

// One line of the source, unrolled.
TEST(PtxasMessages, SaysOfALineOnceWhatManyStatementsHaveWrong) {
  const PtxModule module(recorded("asm.ptx"), "/version/asm.cu");
  const std::string once = recorded("asm.txt");
  EXPECT_EQ(texts(ptxas_problems(once + once, module)), texts(ptxas_problems(once, module)));
}

TEST(PtxasMessages, ExplainsTooMuchSharedMemory) {
  EXPECT_THAT(texts(ptxas_problems(recorded("shared.txt"), no_ptx())),
              ElementsAre(AllOf(HasSubstr("(240000 bytes, 232448 max)"),
                                HasSubstr("dynamic_shared_bytes in the plan"))));
}

TEST(PtxasMessages, ExplainsAnUndefinedFunction) {
  EXPECT_THAT(
      texts(ptxas_problems("ptxas fatal   : Unresolved extern function '_Z6helperf'\n", no_ptx())),
      ElementsAre("error 0 ptxas: Unresolved extern function 'helper(float)'; it is declared but "
                  "not defined: define it in this file"));
}

TEST(PtxasMessages, LiftsNotesAboutLostSpeed) {
  EXPECT_THAT(texts(ptxas_problems(recorded("wgmma.txt"), no_ptx())),
              ElementsAre(AllOf(HasSubstr("warning 0 ptxas: (C7511) Potential Performance Loss"),
                                HasSubstr("keep the accumulator registers untouched"))));
  EXPECT_THAT(texts(ptxas_problems(recorded("setmaxnreg.txt"), no_ptx())),
              ElementsAre(AllOf(HasSubstr("warning 0 ptxas: (C7508)"),
                                HasSubstr("give the kernel __launch_bounds__"))));
}

TEST(PtxasMessages, IsSilentAboutAKernelWithoutFault) {
  EXPECT_THAT(ptxas_problems(recorded("noinline.txt"), no_ptx()), IsEmpty());
  EXPECT_THAT(function_resources("no report"), IsEmpty());
}

}  // namespace
}  // namespace kernelloop
