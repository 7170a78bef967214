#include "compile/global_state.hpp"

#include "compile/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "name written" or "name escapes".
std::vector<std::string> state_of(const std::string& text) {
  std::vector<std::string> lines;
  for_each_line(text, [&](std::string_view line) { lines.emplace_back(line); });
  std::vector<std::string> result;
  for (const GlobalState& one : global_state(read_ptx_code(lines))) {
    result.push_back(one.variable + (one.written ? " written" : " escapes"));
  }
  return result;
}

std::string kernel_with(const std::string& body) {
  return ".global .align 4 .u32 v;\n.global .align 4 .b8 t[8] = {1, 2};\n.visible .entry k()\n{\n" +
         body + "}\n";
}

TEST(GlobalState, FindsDirectWrites) {
  EXPECT_THAT(state_of(kernel_with("st.global.u32 [v], %r1;")), ElementsAre("v written"));
  EXPECT_THAT(state_of(kernel_with("red.global.add.u32 [v+4], 1;")), ElementsAre("v written"));
  EXPECT_THAT(state_of(kernel_with("atom.global.inc.u32 %r1, [v], 7;")), ElementsAre("v written"));
  EXPECT_THAT(state_of(kernel_with("st.global.u32 [t+4], %r1;")), ElementsAre("t written"));
}

TEST(GlobalState, FollowsAddressesThroughRegisters) {
  EXPECT_THAT(state_of(kernel_with("mov.u64 %rd1, v;\ncvta.global.u64 %rd2, %rd1;\n"
                                   "mad.wide.u32 %rd3, %r1, 4, %rd2;\nst.u32 [%rd3], %r1;")),
              ElementsAre("v written"));
  EXPECT_THAT(state_of(kernel_with("$L: st.u32 [%rd3], %r1;\nselp.b64 %rd3, %rd1, %rd4, %p1;\n"
                                   "mov.u64 %rd1, t;\nbra.uni $L;")),
              ElementsAre("t written"));
  EXPECT_THAT(
      state_of(kernel_with("mov.u64 %rd1, v;\n"
                           "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;")),
      ElementsAre("v written"));
}

TEST(GlobalState, ConstantMemoryIsMemory) {
  const auto with_table = [](const std::string& body) {
    return state_of(".const .align 4 .b8 c[8] = {1, 2};\n.visible .entry k()\n{\n" + body + "}\n");
  };
  EXPECT_THAT(with_table("mov.u64 %rd1, c;\ncvta.const.u64 %rd2, %rd1;\nst.u32 [%rd2], %r1;"),
              ElementsAre("c written"));
  EXPECT_THAT(with_table("mov.u64 %rd1, c;\nshfl.sync.idx.b32 %r2, %rd1, 0, 31, -1;"),
              ElementsAre("c escapes"));
  EXPECT_THAT(with_table("mov.u64 %rd1, c;\nadd.s64 %rd2, %rd1, %rd3;\n"
                         "ld.const.f32 %f1, [%rd2];\nld.const.u32 %r1, [c+4];"),
              IsEmpty());
}

TEST(GlobalState, ReadingIsNoState) {
  EXPECT_THAT(state_of(kernel_with("mov.u64 %rd1, t;\nadd.s64 %rd2, %rd1, %rd3;\n"
                                   "ld.global.nc.f32 %f1, [%rd2];\nst.global.f32 [%rd4], %f1;")),
              IsEmpty());
  EXPECT_THAT(state_of(kernel_with("mov.u64 %rd1, t;\ncp.async.ca.shared.global [%r1], [%rd1], 4;\n"
                                   "prefetch.global.L2 [%rd1];")),
              IsEmpty());
  EXPECT_THAT(state_of(".visible .entry k() { st.global.u32 [%rd1], %r1; }"), IsEmpty());
}

TEST(GlobalState, DistrustsAnAddressThatLeaves) {
  EXPECT_THAT(state_of(kernel_with("mov.u64 %rd1, v;\nst.param.b64 [param0], %rd1;\n"
                                   "call.uni bump, (param0);")),
              ElementsAre("v escapes"));
  EXPECT_THAT(state_of(kernel_with("mov.u64 %rd1, t;\nst.global.u64 [%rd2], %rd1;")),
              ElementsAre("t escapes"));
  EXPECT_THAT(state_of(kernel_with("mov.u64 %rd1, v;\ncall bump, (%rd1);")),
              ElementsAre("v escapes"));
  EXPECT_THAT(state_of(kernel_with("mov.u64 %rd1, t;\nst.param.b64 [param0+0], %rd1;\n"
                                   "call.uni __assertfail, (param0);")),
              IsEmpty());
}

TEST(GlobalState, AnAddressIsNoNumber) {
  const std::string take = "mov.u64 %rd1, v;\ncvta.global.u64 %rd2, %rd1;\n";
  for (const char* use : {"and.b64 %rd3, %rd2, 1;",
                          "setp.ne.u64 %p1, %rd2, 0;",
                          "setp.lt.u64 %p1, %rd2, %rd1;",
                          "set.eq.u32.u64 %r1, %rd2, %rd3;",
                          "shr.u64 %rd3, %rd2, 4;",
                          "popc.b64 %r1, %rd2;",
                          "or.b64 %rd3, %rd2, %rd4;",
                          "or.b64 %rd3, %rd2, 4096;",
                          "cvt.u32.u64 %r1, %rd2;",
                          "mul.lo.u64 %rd3, %rd2, 3;",
                          "mad.lo.u64 %rd3, %rd2, 3, %rd4;",
                          "xor.b64 %rd3, %rd4, %rd2;",
                          "shfl.sync.idx.b32 %r1, %rd2, 0, 31, -1;",
                          "st.shared.u64 [%r1], %rd2;",
                          "ld.u32 %r1, [%rd4], %rd2;",
                          "tensormap.replace.tile.rank.global.b1024.b32 [%rd2], 1;",
                          "bfe.u64 %rd3, %rd2, 0, 1;",
                          "add.u64 %rd3, %rd2, %rd1;",
                          "sub.u64 %rd3, %rd4, %rd2;",
                          "mov.b64 {%r1, %r2}, %rd2;"}) {
    EXPECT_THAT(state_of(kernel_with(take + use)), ElementsAre("v escapes")) << use;
  }
  EXPECT_THAT(state_of(kernel_with(take) + ".global .u64 p = generic(v)+4;"),
              ElementsAre("v escapes"));
  EXPECT_THAT(state_of(kernel_with(take) + ".const .u64 p[2] = {0, t};"), ElementsAre("t escapes"));
}

TEST(GlobalState, LoopsOverTablesAreFree) {
  EXPECT_THAT(state_of(kernel_with(
                  "mov.u64 %rd1, t;\nadd.s64 %rd2, %rd1, 8;\n$L: ld.global.u8 %r1, [%rd1];\n"
                  "mad.wide.s32 %rd5, %r2, 4, %rd1;\nor.b64 %rd6, %rd5, 4;\n"
                  "mad.lo.s64 %rd7, %rd8, 8, %rd1;\nisspacep.global %p2, %rd1;\n"
                  "sub.s64 %rd10, %rd2, %rd1;\nshr.u64 %rd11, %rd10, 2;\n"
                  "ld.u32 %r4, [%rd6];\nadd.s64 %rd1, %rd1, 1;\n"
                  "setp.ne.s64 %p1, %rd1, %rd2;\n@%p1 bra $L;\n"
                  "cp.async.ca.shared.global [%r9], [%rd1], 4;\nst.shared.u32 [%r9], 0;")),
              IsEmpty());
}

TEST(GlobalState, OfACompiledFile) {
  EXPECT_THAT(state_of(recorded("arithmetic.ptx")), ElementsAre("cache written", "visits written"));
}

}  // namespace
}  // namespace kernelloop
