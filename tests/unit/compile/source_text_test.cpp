#include "compile/source_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(SourceText, KnowsItsLines) {
  const SourceText source("one\r\n\ntwo");
  EXPECT_EQ(source.line(0), "");
  EXPECT_EQ(source.line(1), "one");
  EXPECT_EQ(source.line(2), "");
  EXPECT_EQ(source.line(3), "two");
  EXPECT_EQ(source.line(4), "");
  EXPECT_EQ(source.line_of(0), 1u);
  EXPECT_EQ(source.line_of(5), 2u);
  EXPECT_EQ(source.line_of(6), 3u);
}

TEST(SourceText, BlanksCommentsAndLiterals) {
  const SourceText source("a /* k<<<1 \n */ b \"x /* \" c 'd' // e\nf");
  EXPECT_EQ(source.code(), "a          \n    b         c         \nf");
}

TEST(SourceText, ReadsLiteralsAsTheCompilerDoes) {
  EXPECT_EQ(SourceText("x = \"a\\\"b\" + y").code(), "x =        + y");
  EXPECT_EQ(SourceText("n = 1'000'000 + z;").code(), "n = 1'000'000 + z;");
  EXPECT_EQ(SourceText("c = u8'x' + z;").code(), "c = u8    + z;");
  EXPECT_EQ(SourceText("#error don't\nnext").code(), "#error don  \nnext");
  EXPECT_EQ(SourceText("s = R\"ab(\" // )\" )ab\" + t").code(), "s = R                 + t");
  EXPECT_EQ(SourceText("// on \\\nand on\ncode").code(), "       \n      \ncode");
  EXPECT_EQ(SourceText("open /* to the end").code(), "open              ");
  EXPECT_EQ(SourceText("s = \"cut").code(), "s =     ");
}

TEST(SourceText, FindsWholeWordsInCodeOnly) {
  const SourceText source("// printf\nmy_printf(); \"printf\"\n  printf(1);");
  EXPECT_EQ(source.line_of_word("printf"), 3u);
  EXPECT_EQ(source.line_of_word("print"), 0u);
}

std::vector<std::string> found(const std::string& text) {
  std::vector<std::string> result;
  for (const IncludeDirective& one : SourceText(text).includes()) {
    result.push_back(std::to_string(one.line) + " " + one.directive + " " +
                     std::string(one.delimiter == 0 ? 0 : 1, one.delimiter) + one.target);
  }
  return result;
}

TEST(SourceText, FindsIncludes) {
  using testing::ElementsAre;
  EXPECT_THAT(found("#include <cuda_bf16.h>\n  #  include \"a b.h\" // why\n"),
              ElementsAre("1 include <cuda_bf16.h", "2 include \"a b.h"));
  EXPECT_THAT(found("%:include <a>\n#inc\\\nlude <b>\n#include_next <c>"),
              ElementsAre("1 include <a", "2 include <b", "4 include_next <c"));
  EXPECT_THAT(found("#include NAME\n#/**/include <d>\n"),
              ElementsAre("1 include NAME", "2 include <d"));
  EXPECT_THAT(found("#in\\\r\nclude <e>\r\n"), ElementsAre("1 include <e"));
}

TEST(SourceText, SeesNoIncludeInCommentsAndStrings) {
  EXPECT_THAT(found("// #include <a>\n/*\n#include <b>\n*/\nR\"(\n#include <c>\n)\";\nx #include"),
              testing::IsEmpty());
}

}  // namespace
}  // namespace kernelloop
