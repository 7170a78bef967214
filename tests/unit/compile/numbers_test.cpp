#include "compile/numbers.hpp"

#include "compile/ptx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::ElementsAre;

TEST(Numbers, OfPtxAreThoseThatTellSizesApart) {
  const PtxModule module(
      ".entry k() {\nsetp.ne.s32 %p1, %r1, 5003;\nadd.s64 %rd1, %rd2, -4097;\n"
      "xor.b32 %r2, %r1, 777;\nsetp.lt.u32 %p2, %r1, 2;\nmul.lo.s32 %r3, %r1, 1234;\n"
      "mov.u32 %r4, 99;\nadd.f32 %f1, %f2, 0f3F800000;\n"
      "setp.eq.s64 %p3, %rd1, 4294967297;\n}\n",
      "kernel.cu");
  EXPECT_THAT(numbers_in(read_ptx_code(module.lines())), ElementsAre(777, 4097, 5003));
}

TEST(Numbers, OfPtxAreSeenThroughConversionsAndShifts) {
  const PtxModule module(
      ".entry k() {\nsetp.eq.f32 %p1, %f1, 0f459C5800;\nsetp.lt.f64 %p2, %fd1, "
      "0d40B38B0000000000;\n"
      "shr.s32 %r2, %r1, 8;\nsetp.ne.s32 %p3, %r2, 39;\nadd.f32 %f2, %f1, 0f7F800000;\n}\n",
      "kernel.cu");
  EXPECT_THAT(numbers_in(read_ptx_code(module.lines())), testing::IsSupersetOf({39, 5003, 10112}));
}

TEST(Numbers, OfASourceAreItsIntegerLiterals) {
  EXPECT_THAT(numbers_in("if (cols == 5'003u || a17 < 0x20ULL) x = 1.5f + 2e9 + 077 - 1;"),
              ElementsAre(32, 63, 5003));
  EXPECT_THAT(numbers_in("(float)cols == 5003.0f || c == 777. || c < 99.5f || .0f"),
              ElementsAre(777, 5003));
  EXPECT_THAT(numbers_in("x[4294967297] = 9223372036854775807;"), ElementsAre());
  EXPECT_THAT(numbers_in(""), ElementsAre());
}

}  // namespace
}  // namespace kernelloop
