#include "support/error.hpp"

#include <gmock/gmock.h>

#include "plan_texts.hpp"

namespace kernelloop {

extern const std::string_view k_plan_schema;

namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string problem_of(const std::string& source) {
  return first_problem(extract(source).problems);
}

std::string problem_with(const std::string& from, const std::string& to) {
  return problem_of(replaced(k_valid_source, from, to));
}

TEST(ExtractPlan, ReadsEveryMember) {
  const LaunchPlan plan = plan_from(k_valid_source);
  EXPECT_EQ(plan.workspace_bytes.text(), "rows * 16");
  ASSERT_EQ(plan.launches.size(), 3U);
  const Launch& rows = plan.launches[0];
  EXPECT_EQ(rows.when->text(), "cols <= 8192");
  EXPECT_EQ(rows.kernel, "norm_rows");
  EXPECT_EQ(rows.line, 5U);
  EXPECT_EQ(rows.grid[0].text(), "rows");
  EXPECT_EQ(rows.grid[1].text(), "1");
  EXPECT_EQ(rows.block[0].text(), "256");
  EXPECT_FALSE(rows.has_cluster);
  EXPECT_EQ(rows.dynamic_shared_bytes.text(), "cols * 4");
  ASSERT_EQ(rows.arguments.size(), 4U);
  EXPECT_EQ(std::get<TensorArgument>(rows.arguments[1]).tensor, "y");
  EXPECT_EQ(std::get<ScalarArgument>(rows.arguments[2]).input, "eps");
  EXPECT_EQ(std::get<IntegerArgument>(rows.arguments[3]).value.text(), "cols");
  const Launch& partial = plan.launches[1];
  EXPECT_TRUE(partial.has_cluster);
  EXPECT_EQ(partial.cluster[1].text(), "4");
  EXPECT_EQ(std::get<WorkspaceArgument>(partial.arguments[1]).offset.text(), "0");
  EXPECT_EQ(std::get<IntegerArgument>(partial.arguments[2]).value.text(), "rows * cols");
  const Launch& finish = plan.launches[2];
  EXPECT_TRUE(finish.cooperative);
  EXPECT_TRUE(finish.programmatic_dependent);
  EXPECT_EQ(std::get<WorkspaceArgument>(finish.arguments[1]).offset.text(), "rows * 8");
  EXPECT_EQ(std::get<IntegerArgument>(finish.arguments[3]).value.text(), "7");
}

TEST(ExtractPlan, CanonicalJsonRoundTrips) {
  const LaunchPlan plan = plan_from(k_valid_source);
  const Json json = plan_to_json(plan);
  const LaunchPlan again = plan_from_json(json, plan_spec());
  EXPECT_EQ(plan_to_json(again), json);
  EXPECT_EQ(again.launches[2].line, 0U);
  EXPECT_TRUE(again.launches[2].cooperative);
  EXPECT_EQ(json["launches"][2]["args"][1]["workspace_offset"], "rows * 8");
  try {
    plan_from_json(Json{{"launches", 3}}, plan_spec());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("expected an array, found an integer: 3; compile the"));
  }
}

TEST(ExtractPlan, FindsTheComment) {
  EXPECT_EQ(problem_of("__global__ void k() {}\n"),
            "1: there is no launch plan; begin the file with /* kernelloop:plan {\"launches\": "
            "[...]} */");
  EXPECT_THAT(problem_of(""), StartsWith("1: there is no launch plan"));
  EXPECT_THAT(problem_of("\n// kernelloop:plan {}\n"),
              StartsWith("2: `kernelloop:plan` must stand in a block comment of its own"));
  EXPECT_EQ(problem_of("#include <x>\n" + k_valid_source),
            "3: the launch plan must be the first thing in the file; move it to the top");
  EXPECT_EQ(problem_of(k_valid_source + "/*kernelloop:plan {}*/\n"),
            "15: there are 2 launch plans, the first in line 2; keep one, with all launches");
  EXPECT_EQ(problem_of("\n\n/* kernelloop:plan {\"launches\": []}\n"),
            "3: the comment with the launch plan is never closed; write */ behind its last }");
  EXPECT_EQ(problem_of("\xEF\xBB\xBF" + k_valid_source), "no problem");
}

TEST(ExtractPlan, ACommentThatClosesTooEarly) {
  EXPECT_EQ(problem_with("\"cols * 4\"", "\"cols */ 4\""),
            "6: `*/` inside a string of the launch plan closes the comment there; write the "
            "expression without `*/`");
  EXPECT_EQ(problem_of("/* kernelloop:plan\n{\"launches\": [ */\n"),
            "2: the comment ends before the JSON of the launch plan does (2 unclosed); close every "
            "bracket and brace before */");
}

TEST(ExtractPlan, LinesAreThoseOfTheSource) {
  EXPECT_THAT(problem_with(R"("block": [32, 4],)", R"("block": [32, 4])"),
              StartsWith("11: not valid JSON"));
  EXPECT_THAT(problem_of("/* kernelloop:plan hello */"), StartsWith("1: not valid JSON"));
  EXPECT_THAT(problem_of("/* kernelloop:plan */"), StartsWith("1: not valid JSON"));
  EXPECT_THAT(problem_with(R"("kernel": "norm_rows")", R"("kernel": "a", "kernel": "b")"),
              StartsWith("5: member \"kernel\" occurs twice"));
}

TEST(ExtractPlan, SchemaProblems) {
  EXPECT_EQ(problem_with("\"dynamic_shared_bytes\"", "\"dynamic_shared_byte\""),
            "6: unknown member `dynamic_shared_byte`; did you mean `dynamic_shared_bytes`?");
  EXPECT_EQ(problem_with(R"("block": [256], )", ""), "5: missing member `block`; add it");
  EXPECT_EQ(
      problem_with(R"("grid": ["rows"], "block": [256])", R"("grid": "rows", "block": [256])"),
      "6: expected an array, found a string: \"rows\"");
  EXPECT_EQ(problem_with("true", "1"), "11: expected a boolean, found an integer: 1");
  EXPECT_THAT(problem_with("[1, 4, 1]", "[1, 4, 1, 1]"), HasSubstr("no more than 3"));
  EXPECT_THAT(problem_with("workspace_offset", "offset"),
              StartsWith("12: unknown member `offset`"));
  EXPECT_THAT(problem_with("[256]", "[256.5]"),
              StartsWith("6: expected a string or an integer, found a number with a fraction"));
  EXPECT_THAT(
      problem_of("/* kernelloop:plan " + std::string(50000, '[') + std::string(50000, ']') + "*/"),
      HasSubstr("nested deeper than"));
}

TEST(ExtractPlan, ExpressionsOnlyUseAxes) {
  EXPECT_EQ(problem_with("\"grid\": [\"rows\"], \"block\": [256]",
                         "\"grid\": [\"rowz\"], \"block\": [256]"),
            "6: grid[0]: in \"rowz\", offset 0: unknown axis `rowz`; did you mean `rows`?");
  EXPECT_EQ(problem_with("cols <= 8192", "cols <="),
            "5: when: in \"cols <=\", offset 7: expected a number, a name or `(`, found the end");
  EXPECT_THAT(problem_with("rows * cols", "rows * eps"),
              HasSubstr("(`eps` is a tensor or scalar; expressions can only use axes)"));
  EXPECT_THAT(problem_with("rows * 16", "x + 1"), StartsWith("3: workspace_bytes: in \"x + 1\""));
}

TEST(ExtractPlan, ArgumentsAreKnown) {
  EXPECT_EQ(problem_with(R"("eps", "cols"])", R"("eps", "colz"])"),
            "7: args[3]: `colz` is no tensor, scalar or axis of the op; did you mean `cols`?");
  EXPECT_THAT(problem_with(R"("eps", "cols"])", R"("eps", "n"])"),
              HasSubstr("known are `x`, `eps`, `shift`, `y`, `rows`, `cols`, `workspace`"));
  EXPECT_THAT(problem_with("\"norm_rows\"", "\"norm<256>\""), HasSubstr("wrap a template in one"));
}

TEST(ExtractPlan, EveryOutputIsTaken) {
  EXPECT_EQ(problem_of(source_with(
                R"({"kernel": "k", "grid": [1], "block": [1], "args": ["x", "cols"]})")),
            "1: no launch takes the output `y`, so nothing can write it; pass it in `args`");
}

TEST(ExtractPlan, AWorkspaceNeedsBytes) {
  const std::string launch =
      R"({"kernel": "k", "grid": [1], "block": [1], "args": ["y", "workspace"]})";
  EXPECT_EQ(problem_of(source_with(launch)),
            "2: args[1] points into the workspace, which has 0 bytes; set `workspace_bytes`");
  EXPECT_EQ(problem_of(source_with(launch, "rows")), "no problem");
}

TEST(ExtractPlan, AllProblemsAreToldAtOnce) {
  const std::string source = replaced(replaced(k_valid_source, "\"cols * 4\"", "\"cols *\""),
                                      "rows * cols", "rows * colz");
  EXPECT_EQ(extract(source).problems.size(), 2U);
}

void check_documented(const Json& schema, const std::string& where) {
  if (!schema.contains("properties")) return;
  EXPECT_TRUE(schema.contains("additionalProperties")) << where;
  for (const auto& [name, member] : schema["properties"].items()) {
    EXPECT_TRUE(member.contains("title") && member.contains("description")) << where << "/" << name;
    check_documented(member, where + "/" + name);
  }
}

TEST(PlanSchema, EveryMemberIsDocumented) {
  const Json schema = Json::parse(k_plan_schema);
  check_documented(schema, "");
  for (const auto& [name, definition] : schema["definitions"].items()) {
    check_documented(definition, name);
  }
}

}  // namespace
}  // namespace kernelloop
