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

TEST(GlobalState, OfACompiledFile) {
  EXPECT_THAT(state_of(recorded("arithmetic.ptx")), ElementsAre("cache written", "visits written"));
}

}  // namespace
}  // namespace kernelloop
