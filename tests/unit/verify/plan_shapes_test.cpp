#include "verify/plan_shapes.hpp"

#include "verify/reference_library.hpp"
#include "verify/rung.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"

#include <map>
#include <set>
#include <string>

namespace kernelloop {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A plan for softmax with one launch for each condition.
LaunchPlan plan_with(const std::vector<std::string>& conditions, const std::string& grid = "rows") {
  Json launches = Json::array();
  for (const std::string& condition : conditions) {
    Json launch = Json::parse(R"({"kernel": "k", "block": ["256"], "args": ["x", "y", "cols"]})");
    launch["grid"] = {grid};
    if (!condition.empty()) launch["when"] = condition;
    launches.push_back(launch);
  }
  return plan_from_json({{"workspace_bytes", "0"}, {"launches", launches}}, samples::softmax());
}

LaunchShape found_for(const std::string& condition, const std::string& device = "cpu") {
  const OpSpec spec = samples::softmax();
  const LaunchPlan plan = plan_with({condition});
  LaunchShape found = PlanShapes(spec, plan, device).selecting(plan.launches.front());
  for (const auto& shape : {found.shape, found.too_large}) {
    if (shape) {
      EXPECT_NE(plan.launches.front().when->evaluate(*shape), 0);
    }
  }
  return found;
}

TEST(PlanShapes, FindAShapeForEveryConditionThatHasOne) {
  for (const char* condition :
       {"cols <= 1024", "cols == 12345", "cols > 2100 && cols < 4000 && cols % 64 == 37",
        "rows % 64 == 5 && rows > 1000 && cols % 37 == 11 && cols < 80", "rows * 2 == 166",
        "(cols - 7) / 3 == 1000 && rows == 5", "cols > 100000 && cols % 1000 == 999",
        "rows > 70000", "rows != 1 && cols > rows && cols % rows == 3",
        "!(cols <= 3000 || cols % 8 != 3)"}) {
    EXPECT_TRUE(found_for(condition).shape) << condition;
  }
}

TEST(PlanShapes, KeepToTheSmallestShape) {
  const Bindings shape = *found_for("cols >= 3000").shape;
  EXPECT_EQ(shape.at("cols"), 3000);
  EXPECT_LE(shape.at("rows"), 2);
}

TEST(PlanShapes, SayWhereALaunchIsBeyondTheDevice) {
  const LaunchShape found = found_for("rows > 1000 && cols > 50000", "cpu");
  EXPECT_FALSE(found.shape);
  EXPECT_EQ(found.too_large, (Bindings{{"rows", 1001}, {"cols", 50001}}));
  EXPECT_TRUE(found_for("rows > 1000 && cols > 50000", "cuda").shape);

  const LaunchPlan plan = plan_with({"", "rows > 1000 && cols > 50000"});
  const LaunchFindings findings = unreached_launches(samples::softmax(), plan, "cpu");
  EXPECT_THAT(findings.violations, IsEmpty());
  EXPECT_THAT(findings.notes,
              ElementsAre(AllOf(HasSubstr("rows > 1000 && cols > 50000"), HasSubstr("too large"))));
}

TEST(PlanShapes, ALaunchThatNothingSelectsIsAViolation) {
  for (const char* condition : {"cols > 10 && cols < 10", "rows < 1", "cols % 8 == 9"}) {
    const LaunchPlan plan = plan_with({"", condition});
    const LaunchFindings findings = unreached_launches(samples::softmax(), plan, "cpu");
    ASSERT_THAT(findings.violations, SizeIs(1)) << condition;
    EXPECT_THAT(findings.violations.front(), AllOf(HasSubstr("launch of `k`"), HasSubstr(condition),
                                                   HasSubstr("remove the launch")));
    EXPECT_THAT(findings.notes, IsEmpty());
  }
}

TEST(PlanShapes, KeepToTheConstraints) {
  const OpSpec spec = samples::spec_from(R"({"name": "attention", "description": "Grouped heads",
    "axes": {"heads": {"type": "var"}, "kv_heads": {"type": "var"}, "dim": {"type": "var"},
             "half": {"type": "expr", "expression": "dim/2"}},
    "constraints": ["heads % kv_heads == 0", "dim % 16 == 0", "dim <= 256"],
    "inputs": {"q": {"shape": ["heads", "dim"], "dtype": "bfloat16"},
               "k": {"shape": ["kv_heads", "half"], "dtype": "bfloat16"}},
    "outputs": {"o": {"shape": ["heads", "dim"], "dtype": "bfloat16"}},
    "workloads": [{"name": "w", "axes": {"heads": 32, "kv_heads": 8, "dim": 128}}]})");
  const auto found = [&](const std::string& condition) {
    const LaunchPlan plan = plan_from_json({{"workspace_bytes", "0"},
                                            {"launches",
                                             {{{"kernel", "k"},
                                               {"when", condition},
                                               {"grid", {"heads"}},
                                               {"block", {"32"}},
                                               {"args", {"q", "k", "o"}}}}}},
                                           spec);
    return PlanShapes(spec, plan, "cpu").selecting(plan.launches.front());
  };
  const LaunchShape wide = found("half > 100 && heads / kv_heads == 5");
  ASSERT_TRUE(wide.shape);
  EXPECT_TRUE(admissible(spec, *wide.shape));
  EXPECT_FALSE(found("dim == 257 || dim == 40").shape);
  EXPECT_FALSE(found("half % 8 == 4").shape);
}

TEST(PlanShapes, FindWhereThePlanSaysNothing) {
  const OpSpec spec = samples::softmax();
  const auto found = [&](const std::string& condition, const std::string& grid) {
    const LaunchPlan plan = plan_with({condition}, grid);
    return PlanShapes(spec, plan, "cpu").without_sense(2);
  };
  EXPECT_THAT(found("", "rows"), IsEmpty());
  EXPECT_THAT(found("rows != 83", "rows"), Contains(testing::Contains(testing::Pair("rows", 83))));
  EXPECT_THAT(found("rows * 3 != 249", "rows"),
              Contains(testing::Contains(testing::Pair("rows", 83))));
  EXPECT_THAT(found("", "rows / (cols - 777) + rows"),
              Contains(testing::Contains(testing::Pair("cols", 777))));
  EXPECT_THAT(found("", "rows / 2"), Contains(testing::Contains(testing::Pair("rows", 1))));
  EXPECT_THAT(found("rows != 5 || cols != 20001", "rows"),
              ElementsAre(Bindings{{"rows", 5}, {"cols", 20001}}));
}

TEST(PlanShapes, OfGridsThatEndTooEarlyAreFound) {
  const OpSpec spec = samples::softmax();
  LaunchPlan plan = plan_with({""}, "1");
  const auto found = [&] { return PlanShapes(spec, plan, "cpu").without_sense(2); };
  plan.launches[0].grid[1] = Expression::parse("rows");
  EXPECT_THAT(found(), ElementsAre(Bindings{{"rows", 65536}, {"cols", 1}}));
  plan.launches[0].grid[1] = Expression::parse("min(rows, 65535)");
  EXPECT_THAT(found(), IsEmpty());
  plan.launches[0].block[2] = Expression::parse("min(cols, 65)");
  EXPECT_THAT(found(), ElementsAre(Bindings{{"rows", 2}, {"cols", 65}}, testing::_));
}

TEST(PlanShapes, LieAroundTheNumbersOfThePlan) {
  const OpSpec spec = samples::softmax();
  const LaunchPlan plan = plan_with({"cols <= 5117", "cols > 5117"}, "ceil_div(rows, 40)");
  std::vector<Bindings> left_out;
  const std::vector<Bindings> shapes =
      PlanShapes(spec, plan, "cpu").around_constants(24, 1, left_out);
  for (const std::int64_t size : {5116, 5117, 5118}) {
    EXPECT_THAT(shapes, Contains(Contains(testing::Pair("cols", size))));
  }
  for (const std::int64_t size : {39, 40, 41}) {
    EXPECT_THAT(shapes, Contains(Contains(testing::Pair("rows", size))));
  }
  EXPECT_THAT(shapes, SizeIs(6));
  EXPECT_THAT(left_out, IsEmpty());
  EXPECT_THAT(PlanShapes(spec, plan, "cpu").around_constants(4, 1, left_out), SizeIs(4));
  EXPECT_THAT(left_out, SizeIs(2));
}

TEST(PlanShapes, HaveEveryValueOfAnExpressionThatTakesFew) {
  const OpSpec spec = samples::softmax();
  LaunchPlan plan = plan_with({""});
  std::vector<Bindings> left_out;
  const auto found = [&](std::size_t argument, const char* text) {
    plan.launches.front().arguments.at(argument) = IntegerArgument{Expression::parse(text)};
    return PlanShapes(spec, plan, "cpu").for_every_value(left_out);
  };
  EXPECT_THAT(found(2, "cols"), IsEmpty());
  EXPECT_THAT(found(2, "cols * 2 == 10006"),
              ElementsAre(Bindings{{"cols", 1}, {"rows", 1}}, Bindings{{"cols", 2}, {"rows", 1}},
                          Bindings{{"cols", 5003}, {"rows", 1}}));
  const Bindings special{{"cols", 5003}, {"rows", 1}};
  EXPECT_THAT(found(2, "cols - (cols * 2 == 10006)"), Contains(special));
  EXPECT_THAT(found(2, "max(1, cols * 2 == 10006 ? cols - 1 : cols)"), Contains(special));
  EXPECT_THAT(found(2, "rows % 3"), SizeIs(2 * 3));
  plan.launches.front().block[0] = Expression::parse("cols * 7 % 4099 == 5 ? 128 : 256");
  EXPECT_THAT(found(2, "cols"), SizeIs(2 * 2));
  EXPECT_THAT(left_out, IsEmpty());
}

TEST(PlanShapes, LetBlocksGoRoundAgain) {
  const OpSpec spec = samples::softmax();
  const auto found = [&](const std::string& condition, const std::string& grid) {
    const LaunchPlan plan = plan_with({condition}, grid);
    return PlanShapes(spec, plan, "cpu").where_blocks_go_round(1 << 17);
  };
  EXPECT_THAT(found("", "min(rows, 132)"), ElementsAre(Bindings{{"rows", 265}, {"cols", 130}}));
  EXPECT_THAT(found("", "min(ceil_div(rows, 4), 20)"),
              ElementsAre(Bindings{{"rows", 155}, {"cols", 130}}));
  // With fewer elements where there would be too many.
  EXPECT_THAT(found("", "min(rows, 800)"), ElementsAre(Bindings{{"rows", 1601}, {"cols", 33}}));
  EXPECT_THAT(found("", "ceil_div(cols, 256) * min(rows, 9)"),
              Contains(Bindings{{"rows", 19}, {"cols", 130}}));
  EXPECT_THAT(found("cols > 33 || rows < 9", "min(rows, 800)"), IsEmpty());
  for (const char* grid :
       {"rows", "ceil_div(rows, 1024)", "min(rows, 65535)", "rows * cols", "132"}) {
    EXPECT_THAT(found("", grid), IsEmpty()) << grid;
  }
}

// What the limit of a grid along y and z asks for.
TEST(PlanShapes, LetTheBlocksOfTheLargestGridGoRoundAgainOnAGpu) {
  const OpSpec spec = samples::softmax();
  const auto found = [&](const std::string& condition, const std::string& grid) {
    const LaunchPlan plan = plan_with({condition}, grid);
    return PlanShapes(spec, plan, "cuda").where_blocks_go_round(std::int64_t{1} << 23);
  };
  EXPECT_THAT(found("", "min(rows, 65535)"), ElementsAre(Bindings{{"rows", 131071}, {"cols", 16}}));
  EXPECT_THAT(found("cols % 16 == 8", "min(rows, 65535)"),
              ElementsAre(Bindings{{"rows", 131071}, {"cols", 8}}));
  EXPECT_THAT(found("", "rows"), IsEmpty());
}

TEST(PlanShapes, TryALaunchAtOtherSizesThanTheSmallest) {
  const OpSpec spec = samples::softmax();
  const auto beyond = [&](const std::string& condition, const Bindings& shape) {
    const LaunchPlan plan = plan_with({condition});
    return PlanShapes(spec, plan, "cuda").beyond(plan.launches.front(), shape);
  };
  EXPECT_THAT(
      beyond("cols % 1009 == 0", {{"cols", 1009}, {"rows", 1}}),
      ElementsAre(Bindings{{"cols", 2018}, {"rows", 1}}, Bindings{{"cols", 4036}, {"rows", 1}}));
  EXPECT_THAT(beyond("cols * rows == 35", {{"cols", 5}, {"rows", 7}}), IsEmpty());
  EXPECT_THAT(beyond("rows % 7 == 0 && cols % 11 == 0", {{"cols", 11}, {"rows", 7}}), SizeIs(4));
}

// The kernel of a launch may tell sizes that only shapes of its own have.
TEST(PlanShapes, TakeTheNumbersOfKernelsForSizesOfEveryLaunch) {
  const OpSpec spec = samples::softmax();
  const LaunchPlan plan = plan_with({"cols % 8 == 0", "cols % 8 != 0"});
  const PlanShapes searched(spec, plan, "cpu");
  EXPECT_THAT(searched.at_numbers({1023}), Contains(Bindings{{"cols", 8}, {"rows", 1025}}));
  EXPECT_THAT(searched.at_numbers({1023}), Contains(Bindings{{"cols", 2}, {"rows", 1025}}));
  // The next size that the launch takes, where it takes none there.
  EXPECT_THAT(searched.at_numbers({1023}), Contains(Bindings{{"cols", 2048}, {"rows", 1}}));
}

// Also on the CPU device, where slices of the workloads take turns.
TEST(PlanShapes, EveryLaunchGetsEveryFamily) {
  const OpSpec spec = samples::softmax();
  const LaunchPlan plan = plan_with({"cols <= 9000", "cols > 9000"});
  const ReferenceLibrary reference(KERNELLOOP_TEST_SOFTMAX);
  SeedSource seeds(1);
  std::map<std::string, std::set<bool>> selected;  // by family: the long launch, the other
  for (const CasePlan& one : values_cases({spec, "cpu", seeds, reference, &plan, {}})) {
    selected[std::string(one.family.family->name)].insert(one.variables.at("cols") > 9000);
  }
  EXPECT_GT(selected.size(), 15U);
  for (const auto& [family, launches] : selected) EXPECT_EQ(launches.size(), 2U) << family;
}

// Odd rows are no rows of whole vectors.
TEST(PlanShapes, EveryLaunchGetsLongRows) {
  const OpSpec spec = samples::softmax();
  const LaunchPlan plan = plan_with({"cols % 8 == 0", "cols % 8 != 0", "cols <= 512"});
  const ReferenceLibrary reference(KERNELLOOP_TEST_SOFTMAX);
  SeedSource seeds(1);
  const RungContext context{spec, "cpu", seeds, reference, &plan, {}};
  const std::vector<Bindings> odd{{{"rows", 6}, {"cols", 15001}}, {{"rows", 1}, {"cols", 70001}}};
  EXPECT_THAT(long_for_every_launch(context, odd),
              ElementsAre(odd[0], odd[1], Bindings{{"rows", 6}, {"cols", 11584}},
                          Bindings{{"rows", 1}, {"cols", 65624}}));
}

TEST(PlanShapes, LongRowsKeepToTheConstraints) {
  const OpSpec rope = load_op_spec(KERNELLOOP_TEST_OPS "/rope/op.json");
  const Json launch = Json::parse(
      R"({"kernel": "k", "grid": ["tokens"], "block": [32], "args": ["x", "cosine", "sine", "y"],
          "when": "half % 8 == 0"})");
  const LaunchPlan plan = plan_from_json({{"workspace_bytes", "0"}, {"launches", {launch}}}, rope);
  const ReferenceLibrary reference(KERNELLOOP_TEST_SOFTMAX);
  SeedSource seeds(1);
  const Bindings odd{{"tokens", 6}, {"heads", 6}, {"head_dim", 3998}};
  const std::vector<Bindings> found =
      long_for_every_launch({rope, "cpu", seeds, reference, &plan, {}}, {odd});
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found.back().at("head_dim") % 16, 0);
}

TEST(PlanShapes, TakeTheNumbersOfKernelsForSizes) {
  const OpSpec spec = samples::softmax();
  const LaunchPlan plan = plan_with({""});
  const PlanShapes searched(spec, plan, "cpu");
  // Where the last index is beyond a number, one that wraps there is wrong.
  EXPECT_THAT(searched.at_numbers({5003}), ElementsAre(Bindings{{"cols", 5003}, {"rows", 1}},
                                                       Bindings{{"cols", 10007}, {"rows", 2}}));
  EXPECT_THAT(searched.at_numbers({3000}), Contains(Bindings{{"cols", 2}, {"rows", 3002}}));
  EXPECT_THAT(searched.at_numbers({77}), SizeIs(4));
  EXPECT_THAT(searched.at_numbers({5}), SizeIs(2));
  EXPECT_THAT(searched.at_numbers({std::int64_t{1} << 31}), IsEmpty());
}

}  // namespace
}  // namespace kernelloop
