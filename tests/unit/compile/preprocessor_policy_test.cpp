#include "compile/preprocessor_policy.hpp"

#include "compile/source_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> refused(const std::string& text) {
  std::vector<std::string> result;
  for (const Problem& one : check_preprocessor_use(SourceText(text))) {
    EXPECT_EQ(one.kind, Problem::Kind::policy);
    result.push_back(std::to_string(one.line) + " " + one.message);
  }
  return result;
}

TEST(PreprocessorPolicy, AllowsWhatKernelsNeed) {
  EXPECT_THAT(
      refused("#ifdef __has_include\n#if defined(__has_include) && __has_include(<cuda_fp8.h>)\n"
              "#if __has_include ( <cuda/barrier> ) /* \"x\" */\n#endif\n#endif\n#endif\n"
              "// __DATE__ and __has_include(\"/etc/passwd\")\n"
              "const char* t = \"__TIME__ ##\";\n"
              "#define JOIN(a, b) a##b\n__device__ int __d, x_, __half_of; // Größe, עברית\n"),
      IsEmpty());
}

TEST(PreprocessorPolicy, NoBuildTellsItsTime) {
  for (const char* word : {"__DATE__", "__TIME__", "__TIMESTAMP__"}) {
    EXPECT_THAT(refused(std::string("int a;\n#define NOW ") + word + "\n"),
                ElementsAre(AllOf(StartsWith("2 "), HasSubstr(word),
                                  HasSubstr("makes every build of the version another"))));
  }
}

TEST(PreprocessorPolicy, NoQuestionsAboutFiles) {
  for (const char* form :
       {"#if __has_include(\"/etc/passwd\")", "#if __has_include(\"reference.cpp\")",
        "#if __has_include(</etc/passwd>)", "#if __has_include(<../../etc/passwd>)",
        "#if __has_include(NAME)", "#define ASK(x) __has_include(x)", "#define ASK __has_include",
        "#if __has_include_next(<stdio.h>)", "#if __has_embed(\"a\")",
        "#if 0 || __has_include /* */ (\"a\")"}) {
    EXPECT_THAT(refused(std::string("int a;\n") + form + "\n#endif\n"),
                ElementsAre(AllOf(StartsWith("2 __has_"), HasSubstr("asks which files there are"))))
        << form;
  }
}

TEST(PreprocessorPolicy, NoneOfThemIsPastedTogether) {
  const std::string join = "#define JOIN(a, b) a##b\n";
  EXPECT_THAT(refused(join + "#if JOIN(__has_, include)(NAME)\n#endif\n"),
              ElementsAre(AllOf(StartsWith("2 the word __has_ and ## could make __has_include"))));
  EXPECT_THAT(refused(join + "auto t = JOIN(__TI, ME__);\n"),
              ElementsAre(HasSubstr("the word __TI and ## could make")));
  EXPECT_THAT(refused("#define J(a, b) a %:%: b\nauto t = J(_, _DATE__);\n"),
              ElementsAre(HasSubstr("2 the word _ and ## could")));
}

TEST(PreprocessorPolicy, NoCodeIsHiddenFromAReader) {
  for (const char* mark : {"\u202E", "\u2066", "\u2069", "\u200F", "\u061C"}) {
    EXPECT_THAT(refused(std::string("int a;\n/* ") + mark + " */\n"),
                ElementsAre(StartsWith("2 the source holds a control character")));
  }
}

}  // namespace
}  // namespace kernelloop
