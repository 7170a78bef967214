#include "compile/front_end_messages.hpp"

#include "compile/source_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data.hpp"

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

auto is_problem(Problem::Severity severity, std::size_t line, std::size_t column,
                const std::string& message) {
  return AllOf(Field(&Problem::severity, severity), Field(&Problem::line, line),
               Field(&Problem::column, column), Field(&Problem::message, message));
}

auto is_error(std::size_t line, std::size_t column, const std::string& message) {
  return is_problem(Problem::Severity::error, line, column, message);
}

std::vector<Problem> of_recording(const std::string& name) {
  return front_end_problems(recorded(name + ".txt"), name + ".cu",
                            SourceText(recorded(name + ".cu")));
}

TEST(FrontEndMessages, ReadsNvccErrorsOnceEachAndSkipsIdleWarnings) {
  EXPECT_THAT(
      of_recording("undefined"),
      ElementsAre(is_error(9, 9, "identifier \"absent\" is undefined"),
                  is_error(10, 11,
                           "a value of type \"float *\" cannot be used to initialize an entity of "
                           "type \"int\""),
                  is_problem(Problem::Severity::warning, 11, 7,
                             "use of \"=\" where \"==\" may have been intended"),
                  is_error(4, 14,
                           "identifier \"not_declared\" is undefined (instantiation of \"T "
                           "twice(T) [with T=float]\" at line 8)")));
}

TEST(FrontEndMessages, LeadsErrorsInHeadersBackToTheSource) {
  const std::vector<Problem> problems = of_recording("header");
  ASSERT_EQ(problems.size(), 6u);
  EXPECT_EQ(problems[0].line, 10u);
  EXPECT_THAT(problems[0].message,
              testing::StartsWith("in alloc_traits.h:518: no instance of function template "
                                  "\"std::construct_at\" matches the argument list argument types "
                                  "are: (NoCopy *, const NoCopy)"));
  EXPECT_THAT(problems[0].message, HasSubstr("(note: candidate function template"));
  EXPECT_EQ(problems[2].line, 10u);
  EXPECT_THAT(problems[2].message, HasSubstr("it is a deleted function"));
}

TEST(FrontEndMessages, KnowsNoColumnBehindAMacro) {
  EXPECT_THAT(of_recording("header")[3],
              is_error(13, 0, "identifier \"missing_name\" is undefined"));
}

TEST(FrontEndMessages, ReadsTheEndOfTheSource) {
  EXPECT_THAT(of_recording("header")[4],
              is_error(0, 0,
                       "at the end of the source: expected a \"}\" (note: line 12: to match this "
                       "\"{\")"));
}

TEST(FrontEndMessages, ReadsTheHostCompilersForm) {
  const std::string messages =
      "In file included from /v/kernel.cu:2:\n"
      "/v/own.h:7:3: error: 'x' was not declared\n"
      "    7 |   x = 1;\n"
      "      |   ^\n"
      "/v/kernel.cu: In function 'void k()':\n"
      "/v/kernel.cu:3:10: fatal error: nothere.h: No such file or directory\n"
      "    3 | #include <nothere.h>\n"
      "      |          ^~~~~~~~~~~\n"
      "compilation terminated.\n";
  EXPECT_THAT(front_end_problems(messages, "/v/kernel.cu", SourceText("")),
              ElementsAre(is_error(2, 0, "in own.h:7: 'x' was not declared"),
                          is_error(3, 10, "nothere.h: No such file or directory")));
}

TEST(FrontEndMessages, KnowsTheSourceByItsNameToo) {
  EXPECT_THAT(front_end_problems("k.cu:3:5: error: bad\n/other/k.cu:4:5: error: worse\n", "/v/k.cu",
                                 SourceText("")),
              ElementsAre(is_error(3, 5, "bad"), is_error(0, 0, "in k.cu:4: worse")));
}

TEST(FrontEndMessages, ReadsErrorsWithNumbers) {
  EXPECT_THAT(
      front_end_problems("/v/k.cu(3): error #20: identifier \"a\" is undefined\n"
                         "/v/k.cu(4): error #177-D: variable \"b\" was declared\n"
                         "/v/k.cu(5): catastrophic error: too much\n",
                         "/v/k.cu", SourceText("")),
      ElementsAre(is_error(3, 0, "identifier \"a\" is undefined"),
                  is_error(4, 0, "variable \"b\" was declared"), is_error(5, 0, "too much")));
}

TEST(FrontEndMessages, TakesNothingElseForAMessage) {
  EXPECT_THAT(front_end_problems("2 errors detected in the compilation of \"k.cu\".\n"
                                 "ptxas info    : 0 bytes gmem\n"
                                 "Remark: The warnings can be suppressed\n"
                                 "    say(3): error: not at the margin\n"
                                 "nvcc error   : 'cicc' died due to signal 11\n",
                                 "k.cu", SourceText("")),
              testing::IsEmpty());
  EXPECT_TRUE(is_located_message("k.cu(3): error: x"));
  EXPECT_TRUE(is_located_message("a (b).cu:3:1: warning: x"));
  EXPECT_FALSE(is_located_message("gcc: fatal error: x"));
}

}  // namespace
}  // namespace kernelloop
