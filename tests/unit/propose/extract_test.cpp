#include "propose/extract.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

const std::string k_kernel =
    "/* kernelloop:plan\n{ \"launches\": [] }\n*/\n"
    "extern \"C\" __global__ void k(float* x) { if (threadIdx.x < 1) x[0] = 1; }\n";

std::string block(const std::string& code, const std::string& tag = "cuda") {
  return "```" + tag + "\n" + code + "```\n";
}

struct Case {
  const char* name;
  std::string answer;
  const char* problem;
};

class Answers : public testing::TestWithParam<Case> {};

TEST_P(Answers, AreWholeOrANamedProblem) {
  const Extraction result = extract_source(GetParam().answer, "end");
  EXPECT_STREQ(name_of(result.problem), GetParam().problem) << result.detail;
  if (result.problem == Extraction::Problem::none) {
    EXPECT_EQ(result.source, k_kernel);
  } else {
    EXPECT_TRUE(result.source.empty());
    EXPECT_FALSE(result.detail.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Answers,
    testing::Values(
        Case{"plain", "Summary: x\n\n" + block(k_kernel), "none"},
        Case{"other_tag", block(k_kernel, "CUDA title=\"kernel.cu\""), "none"},
        Case{"no_tag", block(k_kernel, ""), "none"},
        Case{"tildes", "~~~cpp\n" + k_kernel + "~~~\n", "none"},
        Case{"longer_fence", "`````\n" + k_kernel + "`````\n", "none"},
        Case{"closed_by_more", "```\n" + k_kernel + "`````\n", "none"},
        Case{"indented_fence", "   ```cuda\n" + k_kernel + "   ```\n", "none"},
        Case{"snippet_first", "Before it was\n```cpp\nint a;\n```\nnow\n" + block(k_kernel),
             "none"},
        Case{"snippet_last", block(k_kernel) + "Run it with\n```sh\nmake\n```\n", "none"},
        Case{"same_block_twice", block(k_kernel) + "again\n" + block(k_kernel), "none"},
        Case{"bare_source", k_kernel, "none"},
        Case{"thoughts", "<think>first ```cuda\nno\n</think>\n" + block(k_kernel), "none"},
        Case{"thoughts_cut", "some thoughts\n```\nno\n</think>\n" + block(k_kernel), "none"},
        Case{"inline_code_is_no_fence", "Use ```x``` here\n" + block(k_kernel), "none"},
        Case{"byte_order_mark", block("\xEF\xBB\xBF" + k_kernel), "none"},
        Case{"empty", "", "empty"}, Case{"only_space", " \n\n", "empty"},
        Case{"only_thoughts", "<think>hm " + block(k_kernel), "empty"},
        Case{"prose", "I would use shared memory.", "no_code"},
        Case{"prose_with_the_word", "The kernelloop:plan comment is needed.", "no_code"},
        Case{"unclosed", "```cuda\n" + k_kernel, "truncated"},
        Case{"unclosed_other_mark", "```cuda\n" + k_kernel + "~~~\n", "truncated"},
        Case{"closed_by_fewer", "````cuda\n" + k_kernel + "```\n", "truncated"},
        Case{"two_kernels", block(k_kernel) + block(k_kernel + "// b\n"), "several_blocks"},
        Case{"no_plan", block("__global__ void k() {}\n"), "not_a_kernel"},
        Case{"diff", block("-int a;\n+int b;\n", "diff"), "not_a_kernel"},
        Case{"dots", block(k_kernel + "// ... existing code ...\n"), "placeholder"},
        Case{"rest_unchanged", block(k_kernel + "// rest of the kernel unchanged\n"),
             "placeholder"},
        Case{"same_as_before", block(k_kernel + "/* remaining code same as before */\n"),
             "placeholder"},
        Case{"todo_body", block(k_kernel + "// TODO: implement the reduction\n"), "placeholder"},
        Case{"your_code", block(k_kernel + "// your code here\n"), "placeholder"},
        Case{"bare_dots", block(k_kernel + "  ...\n"), "placeholder"},
        Case{"html", block("/* kernelloop:plan {} */\nif (a &lt; b) {}\n"), "html_escaped"}),
    [](const auto& each) { return each.param.name; });

TEST(Extraction, ReadsWindowsLineEnds) {
  std::string answer;
  for (const char c : block(k_kernel))
    answer += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(extract_source(answer, "end").source, k_kernel);
}

TEST(Extraction, TrustsTheStopReasonMoreThanTheText) {
  EXPECT_EQ(extract_source(block(k_kernel), "length").problem, Extraction::Problem::truncated);
  EXPECT_EQ(extract_source(block(k_kernel), "refusal").problem, Extraction::Problem::refusal);
  EXPECT_EQ(extract_source(block(k_kernel), "something new").problem, Extraction::Problem::none);
}

TEST(Extraction, KeepsHonestWordsInComments) {
  const std::string code = k_kernel +
                           "// The remaining columns are handled by the last warp.\n"
                           "// Same as a butterfly, but on shared memory ...\n"
                           "template <typename... T> void f(T... t);\n";
  EXPECT_EQ(extract_source(block(code), "end").source, code);
}

TEST(Extraction, TakesTheSummaryOutsideTheCodeOnly) {
  const auto summary = [](const std::string& text) { return extract_source(text, "end").summary; };
  EXPECT_EQ(summary("Summary: 16-byte loads, one pass.\n" + block(k_kernel)),
            "16-byte loads, one pass.");
  EXPECT_EQ(summary("**Summary:** two rows\n" + block(k_kernel)), "two rows");
  EXPECT_EQ(summary(block(k_kernel) + "\nsummary: after it\n"), "after it");
  EXPECT_EQ(summary("- __Summary__ : *short*\n" + block(k_kernel)), "short");
  EXPECT_EQ(summary("In summary: no\nSummary of it\nSummary:\n" + block(k_kernel)), "");
  EXPECT_EQ(summary(block(k_kernel + "// Summary: inside\n")), "");
  EXPECT_EQ(summary("Summary: " + std::string(500, 'x') + "\n" + block(k_kernel)).size(), 203u);
}

// As a regular expression this took the third power of the length: about a minute for this line.
TEST(Extraction, ALongLineOfMarksIsNoWork) {
  const std::string line = "Summary:" + std::string(1900, '*') + "x\rx" + std::string(50, '_');
  EXPECT_EQ(extract_source(line + "\n" + block(k_kernel), "end").summary, "x");
}

TEST(Extraction, SurvivesAnyPrefixOfAnAnswer) {
  const std::string answer = "Summary: a\n" + block(k_kernel);
  for (std::size_t length = 0; length + 4 < answer.size(); ++length) {
    EXPECT_TRUE(extract_source(answer.substr(0, length), "end").source.empty()) << length;
  }
}

}  // namespace
}  // namespace kernelloop
