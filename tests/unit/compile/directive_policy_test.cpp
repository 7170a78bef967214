#include "compile/directive_policy.hpp"

#include "compile/source_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> refused_in(const std::string& text) {
  std::vector<std::string> result;
  for (const Problem& one : check_directives(SourceText(text))) {
    EXPECT_EQ(one.kind, Problem::Kind::policy);
    result.push_back(std::to_string(one.line) + " " + one.message);
  }
  return result;
}

TEST(DirectivePolicy, AllowsWhatKernelsNeed) {
  EXPECT_THAT(
      refused_in("#pragma once\n#define WARP 32\n#define USE_FAST\n#include <cuda_bf16.h>\n"
                 "#\n#if WARP > 16 /* #line */\n#define F(x) \\\n  do { \\\n    g(x);   \\\n"
                 "  } while (0)\n#elif 1\n#error \"no # 5\"\n#else\n#undef F\n#endif\n"
                 "const char* t = \"#line 5\"; // # 5 \"x\" 3\n"
                 "auto r = R\"(\n# 5 \"x\" 3\n)\"; int a = b ?c : d; // what?\n"
                 "#define G(x) \\\r\n  x\r\n"),
      IsEmpty());
}

TEST(DirectivePolicy, NoLineComesFromAnotherFile) {
  for (const char* form :
       {"# 5 \"/usr/include/a.h\" 3", "#5 \"a.h\"", "#line 5 \"a.h\"", " \t#\tline 5",
        "%: 5 \"a\" 3", "%:line 5", "/* a */ # /* b */ 5 \"a\" 3", "# /*\n*/ 5 \"a\" 3",
        "/*\n*/ # 5 \"a\" 3", "# \\\n 5 \"a\" 3", "\\\n # 5 \"a\" 3", "#if 0\n# 5 \"a\" 3\n#endif",
        "# 0x5 \"a\""}) {
    EXPECT_THAT(refused_in(std::string("int a;\n") + form + "\nint b;\n"),
                ElementsAre(HasSubstr("says that lines come from another place")))
        << form;
  }
}

TEST(DirectivePolicy, NothingIsHiddenFromASearch) {
  EXPECT_THAT(refused_in("?\?=line 5\n"), ElementsAre(HasSubstr("1 the source holds a trigraph")));
  EXPECT_THAT(refused_in("int a; /?\?/\n/ b\n"), ElementsAre(HasSubstr("holds a trigraph")));
  EXPECT_THAT(refused_in("%\\\n:line 5\n"),
              ElementsAre(HasSubstr("1 `#line 5` says"), HasSubstr("1 a backslash at the end")));
  EXPECT_THAT(refused_in("/\\\n* R\"( */\nint b;\n"), ElementsAre(HasSubstr("1 a backslash at")));
  EXPECT_THAT(refused_in("// comment \\ \nint b;\n"),
              ElementsAre(HasSubstr("1 blanks stand between a backslash and the end")));
  EXPECT_THAT(refused_in("int a;\r#line 5\n"),
              ElementsAre(HasSubstr("1 the source holds a carriage")));
  EXPECT_THAT(refused_in(std::string("int a;\n\0", 8)),
              ElementsAre(HasSubstr("2 the source holds a zero")));
}

TEST(DirectivePolicy, OtherDirectivesAreRefused) {
  EXPECT_THAT(refused_in("#ident \"a\"\n#sccs \"b\"\n#assert c(d)\n"),
              ElementsAre(HasSubstr("1 #ident is no directive"), HasSubstr("2 #sccs is"),
                          HasSubstr("3 #assert is")));
}

TEST(DirectivePolicy, ArithmeticMayStandBeforeAnInclude) {
  EXPECT_THAT(
      refused_in(
          "#define THREADS 128\n#define WARPS (THREADS / 32)\n#define K_EPS -1e-5f\n"
          "#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n#define MASK ((unsigned)~0)\n"
          "#define INF __int_as_float(0x7f800000)\n#define POW2(N) (N > 0 && !(N & (N - 1)))\n"
          "#define BYTES (WARPS * sizeof(float) << 1 >= 4 ? 0x1p-3f : .5)\n#define NONE\n"
          "#include <cuda_bf16.h>\n"),
      IsEmpty());
}

TEST(DirectivePolicy, NothingButArithmeticMayStandBeforeAnInclude) {
  for (const char* define : {"warps (32 / 4)", "_WARPS (32 / 4)", "MIXed 1 + 1", "F(x) f(x)",
                             "f(x) ((x) + 1)", "assert(x)",       "A ) || (",    "A (1",
                             "A 1; f()",       "A x = 1",         "A ++x",       "F(x) ((x) <<= 1)",
                             "F(x) (x = 1)",   "F(x) --x",        "A {1}",       "A return",
                             "A \"a\"",        "A 'a'",           "A B",         "F(...) 1 + 1",
                             "F(x, 5) 1",      "F(x 1",           "F(x) x ## 1", "F(x) #x",
                             "A asm",          "A x.y",           "A 1 , 2"}) {
    EXPECT_THAT(refused_in(std::string("#define ") + define + "\n#include <math.h>\n"),
                ElementsAre(HasSubstr("could change what is included after it")))
        << define;
  }
  // A name counts from its definition on, and where that is arithmetic.
  EXPECT_THAT(refused_in("#define A B\n#define B 1\n#define D A\n#include <math.h>\n"),
              ElementsAre(HasSubstr("1 the macro of `#define A`"),
                          HasSubstr("3 the macro of `#define D`")));
}

TEST(DirectivePolicy, NoMacroGoesIntoAHeader) {
  EXPECT_THAT(
      refused_in("#define __THROW ; asm(\"syscall\")\n#define f(x) x\n#define private public\n"
                 "#define N 4u\n#include <math.h>\n#define LATER asm\n"),
      ElementsAre(HasSubstr("1 the macro of `#define __THROW` could change"),
                  HasSubstr("2 the macro of `#define f`"),
                  HasSubstr("3 the macro of `#define private`")));
}

}  // namespace
}  // namespace kernelloop
