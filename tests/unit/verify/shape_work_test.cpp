#include "verify/shape_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;

LaunchPlan tiles() {
  return plan_from_json({{"workspace_bytes", "0"},
                         {"launches",
                          {{{"kernel", "k"},
                            {"when", "cols > 8"},
                            {"grid", {"rows", "ceil_div(cols, 64)"}},
                            {"block", {"64"}},
                            {"args", {"x", "y"}}}}}},
                        samples::softmax());
}

TEST(ShapeWork, CountsElementsCombinationsAndThreads) {
  const OpSpec spec = samples::softmax();
  const Bindings shape{{"rows", 3}, {"cols", 100}};
  EXPECT_EQ(work_of(spec, nullptr, shape), 600 + 300);
  const LaunchPlan plan = tiles();
  EXPECT_EQ(work_of(spec, &plan, shape), 600 + 300 + 3 * 2 * 64);
  EXPECT_EQ(work_of(spec, &plan, {{"rows", 3}, {"cols", 8}}), 48 + 24) << "no launch";
}

TEST(ShapeWork, TakesTheCheapestAndTellsTheRest) {
  const OpSpec spec = samples::softmax();
  const auto row = [](std::int64_t cols) { return Bindings{{"rows", 1}, {"cols", cols}}; };
  WorkBudget budget(spec, nullptr, 3 * 150);
  budget.spend(row(20));
  std::vector<Bindings> left_out{row(1)};
  EXPECT_THAT(budget.affordable({row(90), row(200), row(30)}, left_out),
              ElementsAre(row(30), row(90)));
  EXPECT_THAT(left_out, ElementsAre(row(1), row(200)));
  EXPECT_THAT(budget.affordable({row(11)}, left_out), testing::IsEmpty()) << "10 are left";
}

}  // namespace
}  // namespace kernelloop
