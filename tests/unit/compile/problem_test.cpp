#include "compile/problem.hpp"

#include "compile/source_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

Problem problem(Problem::Kind kind, const std::string& message, std::size_t line = 0,
                Problem::Severity severity = Problem::Severity::error) {
  Problem result;
  result.kind = kind;
  result.severity = severity;
  result.message = message;
  result.line = line;
  return result;
}

TEST(ProblemList, KeepsTheSameProblemOnce) {
  ProblemList list;
  EXPECT_EQ(list.first_error(), nullptr);
  list.add(problem(Problem::Kind::diagnostic, "a", 1));
  list.add(problem(Problem::Kind::diagnostic, "a", 1));
  list.add(problem(Problem::Kind::diagnostic, "a", 2));
  EXPECT_EQ(list.errors(), 2u);
}

TEST(ProblemList, ShowsLineAndText) {
  ProblemList list;
  list.add(problem(Problem::Kind::policy, "no", 2));
  const Json json = list.to_json(SourceText("first\n  second\n"));
  EXPECT_EQ(json, Json::parse(R"([{"kind": "policy", "severity": "error", "message": "no",
                                   "line": 2, "column": 0, "source_line": "  second"}])"));
}

TEST(ProblemList, PutsErrorsFirstAndLeavesRoomForEveryKind) {
  ProblemList list;
  list.add(problem(Problem::Kind::diagnostic, "slow", 1, Problem::Severity::warning));
  for (std::size_t i = 1; i <= 20; ++i) list.add(problem(Problem::Kind::diagnostic, "d", i));
  for (std::size_t i = 1; i <= 20; ++i) list.add(problem(Problem::Kind::plan, "p", i));
  const Json json = list.to_json(SourceText(""));
  ASSERT_EQ(json.size(), 10u);
  std::string kinds;
  for (const Json& one : json) kinds += one["kind"].get<std::string>().substr(0, 1);
  EXPECT_EQ(kinds, "ppppppdddd");
  EXPECT_EQ(json[6]["line"], 1u);
  EXPECT_EQ(list.first_error()->kind, Problem::Kind::plan);
}

TEST(ProblemList, AWarningIsNoError) {
  ProblemList list;
  list.add(problem(Problem::Kind::diagnostic, "slow", 1, Problem::Severity::warning));
  EXPECT_EQ(list.errors(), 0u);
  EXPECT_EQ(list.first_error(), nullptr);
  EXPECT_EQ(list.to_json(SourceText(""))[0]["severity"], "warning");
}

TEST(ProblemList, ShortensLongTextsBetweenCharacters) {
  ProblemList list;
  std::string message;
  for (int i = 0; i < 1000; ++i) message += "ä";
  list.add(problem(Problem::Kind::diagnostic, message, 1));
  const Json json = list.to_json(SourceText(std::string(5000, 'x')));
  EXPECT_EQ(json[0]["message"].get<std::string>(), message.substr(0, 700) + " ...");
  EXPECT_EQ(json[0]["source_line"].get<std::string>(), std::string(240, 'x') + " ...");
}

}  // namespace
}  // namespace kernelloop
