#include "inspect/loops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;

std::vector<Loop> loops_of(const std::string& text) {
  const auto functions = read_sass("Function : k\n" + text, "");
  return find_loops(Listing::Language::sass, functions.at(0));
}

TEST(Loops, FindsTheNestOfARealKernel) {
  const auto functions = read_sass(recorded_listing("loops.nvdisasm.txt"), "loops.cu");
  const auto loops = find_loops(Listing::Language::sass, functions.at(0));
  ASSERT_EQ(loops.size(), 3u);
  EXPECT_EQ(loops[0].head, 0xf0u / 16);
  EXPECT_FALSE(loops[0].innermost);
  EXPECT_EQ(loops[1].head, 0x190u / 16);
  EXPECT_EQ(loops[1].depth, 2u);
  EXPECT_EQ(loops[1].body.size(), 17u);
  EXPECT_EQ(loops[2].head, 0x2c0u / 16);
  const auto hot = hot_loop(loops);
  ASSERT_TRUE(hot);
  EXPECT_EQ(hot->head, loops[1].head);
  EXPECT_EQ(hot->lines, std::make_pair(std::size_t{14}, std::size_t{18}));
}

TEST(Loops, FindsTheSameInPtx) {
  const auto functions = read_ptx(recorded_listing("loops.ptx"), "/src/loops.cu");
  for (const CodeFunction& function : functions) {
    if (function.name != "nested") continue;
    const auto loops = find_loops(Listing::Language::ptx, function);
    ASSERT_EQ(loops.size(), 3u);
    // PTX counts inlined code to the line where it stands, 3 here.
    EXPECT_EQ(hot_loop(loops)->lines, std::make_pair(std::size_t{3}, std::size_t{18}));
  }
}

TEST(Loops, StraightCodeHasNone) {
  EXPECT_TRUE(loops_of("/*0000*/ MOV R1, R2 ;\n/*0010*/ EXIT ;\n").empty());
  EXPECT_FALSE(hot_loop({}));
}

TEST(Loops, AJumpBackFromFarCodeIntoTheMiddleIsNone) {
  // 0x20 is reached without passing 0x30: jumping back to 0x10 from there closes no loop.
  EXPECT_TRUE(loops_of("/*0000*/ @P0 BRA 0x30 ;\n/*0010*/ FADD R1, R1, R1 ;\n/*0020*/ EXIT ;\n"
                       "/*0030*/ FMUL R1, R1, R1 ;\n/*0040*/ BRA 0x10 ;\n")
                  .empty());
}

TEST(Loops, CodeFarAwayBelongsToItsLoop) {
  const auto loops = loops_of(
      "/*0000*/ MOV R1, R2 ;\n/*0010*/ @P0 BRA 0x40 ;\n/*0020*/ @P1 BRA 0x10 ;\n/*0030*/ EXIT ;\n"
      "/*0040*/ FADD R1, R1, R1 ;\n/*0050*/ BRA 0x20 ;\n");
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_THAT(loops[0].body, ElementsAre(1, 2, 4, 5));
}

TEST(Loops, TwoJumpsBackToOneHeadAreOneLoop) {
  const auto loops = loops_of(
      "/*0000*/ FADD R1, R1, R1 ;\n/*0010*/ @P0 BRA 0x0 ;\n/*0020*/ @P1 BRA 0x0 ;\n"
      "/*0030*/ EXIT ;\n");
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_THAT(loops[0].body, ElementsAre(0, 1, 2));
}

TEST(Loops, OneInstructionMayLoop) {
  const auto loops = loops_of("/*0000*/ MOV R1, R2 ;\n/*0010*/ @P0 BRA 0x10 ;\n/*0020*/ EXIT ;\n");
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_THAT(loops[0].body, ElementsAre(1));
}

TEST(Loops, UnreachedCodeMakesNoLoop) {
  EXPECT_TRUE(loops_of("/*0000*/ EXIT ;\n/*0010*/ FADD R1, R1, R1 ;\n/*0020*/ @P0 BRA 0x10 ;\n"
                       "/*0030*/ EXIT ;\n")
                  .empty());
}

TEST(Loops, TheInnermostWithMostWorkIsHot) {
  const auto loops = loops_of(
      "/*0000*/ FADD R1, R1, R1 ;\n/*0010*/ FADD R1, R1, R1 ;\n/*0020*/ @P0 BRA 0x0 ;\n"
      "/*0030*/ HMMA.16816.F32 R0, R1, R2, R3 ;\n/*0040*/ @P0 BRA 0x30 ;\n/*0050*/ EXIT ;\n");
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(hot_loop(loops)->head, 3u);
}

}  // namespace
}  // namespace kernelloop
