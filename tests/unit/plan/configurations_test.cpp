#include "plan/configurations.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>

#include "plan_texts.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;

constexpr const char* k_source = R"py("""kernelloop:plan
{ "launches": [
    { "when": "cols <= 1024", "kernel": "norm", "grid": ["rows"], "args": ["x", "y", "cols"],
      "constants": {"BLOCK": 1024, "EXACT": true}, "options": {"num_warps": 4},
      "configurations": [
        {"constants": {"BLOCK": 2048}},
        {"grid": ["ceil_div(rows, 2)"], "constants": {"BLOCK": 512}, "options": {"num_warps": 8}},
        {"options": {"num_stages": 2}} ] },
    { "when": "cols > 1024", "kernel": "norm", "grid": ["rows"], "args": ["x", "y", "cols"],
      "configurations": [ {"constants": {"BLOCK": 64}}, {"constants": {"BLOCK": 32}} ] } ] }
"""
import triton  # {"launches": 1}
)py";

LaunchPlan plan_in(const std::string& source) {
  PlanResult result = extract_plan(source, "kernel.triton.py", plan_spec(), PlanForm::compiled);
  EXPECT_TRUE(result.plan) << (result.problems.empty() ? "" : result.problems.front().message);
  return result.plan.value_or(LaunchPlan{});
}

TEST(Configurations, AVersionIsItsFirst) {
  const LaunchPlan plan = plan_in(k_source);
  EXPECT_EQ(plan.configurations, 3u);
  EXPECT_EQ(plan.launches.at(0).constants, Json({{"BLOCK", 2048}, {"EXACT", true}}));
  EXPECT_EQ(plan.launches.at(0).options, Json({{"num_warps", 4}}));
  EXPECT_EQ(plan.launches.at(0).grid[0].text(), "rows");
  EXPECT_EQ(plan.launches.at(1).constants, Json({{"BLOCK", 64}}));
}

TEST(Configurations, EachFurtherOneIsASourceOfItsOwn) {
  const std::string second = configured_source(k_source, 1)->source;
  const LaunchPlan plan = plan_in(second);
  EXPECT_EQ(plan.configurations, 1u);
  EXPECT_EQ(plan.launches.at(0).constants, Json({{"BLOCK", 512}, {"EXACT", true}}));
  EXPECT_EQ(plan.launches.at(0).options, Json({{"num_warps", 8}}));
  EXPECT_EQ(plan.launches.at(0).grid[0].text(), "ceil_div(rows, 2)");
  EXPECT_EQ(plan.launches.at(1).constants, Json({{"BLOCK", 32}}));
  // All but the plan stays as it is.
  EXPECT_THAT(second, testing::EndsWith("import triton  # {\"launches\": 1}\n"));
  EXPECT_THAT(second, testing::StartsWith("\"\"\"kernelloop:plan\n{"));

  const LaunchPlan last = plan_in(configured_source(k_source, 2)->source);
  EXPECT_EQ(last.launches.at(0).constants, Json({{"BLOCK", 1024}, {"EXACT", true}}));
  EXPECT_EQ(last.launches.at(0).options, Json({{"num_warps", 4}, {"num_stages", 2}}));
  EXPECT_EQ(last.launches.at(1).constants, Json({{"BLOCK", 32}}));  // it has no third
}

TEST(Configurations, AreSaidInWords) {
  EXPECT_EQ(configured_source(k_source, 1)->chosen,
            "grid [\"ceil_div(rows, 2)\"], BLOCK 512, num_warps 8; BLOCK 32");
  EXPECT_EQ(configured_source(k_source, 2)->chosen, "num_stages 2");
  EXPECT_FALSE(configured_source(k_source, 3));
  EXPECT_FALSE(configured_source("import triton\n", 0));
}

TEST(Configurations, APlanWithoutIsOne) {
  const LaunchPlan plan = plan_in(R"py("""kernelloop:plan
{ "launches": [ { "kernel": "norm", "grid": ["rows"], "args": ["y"] } ] }
""")py");
  EXPECT_EQ(plan.configurations, 1u);
  EXPECT_FALSE(configured_source("import triton\n", 1));
}

TEST(Configurations, NothingElseIsTaken) {
  const auto problem_of = [](const char* configurations) {
    const std::string source = fmt::format(
        R"py("""kernelloop:plan
{{ "launches": [ {{ "kernel": "norm", "grid": ["rows"], "args": ["y"],
    "configurations": {} }} ] }}
""")py",
        configurations);
    const PlanResult result =
        extract_plan(source, "kernel.triton.py", plan_spec(), PlanForm::compiled);
    return result.problems.empty() ? std::string() : result.problems.front().message;
  };
  EXPECT_THAT(problem_of("[]"), HasSubstr("no fewer than 1 elements"));
  EXPECT_THAT(problem_of("[{}]"), HasSubstr("no fewer than 1 properties"));
  EXPECT_THAT(problem_of(R"([{"when": "1"}])"), HasSubstr("when"));
  EXPECT_THAT(problem_of(R"([{"grid": ["depth"]}])"), HasSubstr("depth"));
  EXPECT_EQ(problem_of(R"([{"grid": [1]}])"), "");
  // In CUDA C++ a constant is the author's own.
  EXPECT_THAT(extract_plan("/* kernelloop:plan {\"launches\": [{\"kernel\": \"k\", \"grid\": [1], "
                           "\"block\": [1], \"args\": [\"y\"], \"configurations\": [{\"grid\": "
                           "[2]}]}]} */",
                           "kernel.cu", plan_spec())
                  .problems.front()
                  .message,
              HasSubstr("configurations"));
}

}  // namespace
}  // namespace kernelloop
