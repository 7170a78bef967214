#include "verify/climb.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify_fixture.hpp"

#include <atomic>
#include <set>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

// Twelve cases of 1 to 12 rows.
class Climb : public Verify {
 protected:
  Climb() {
    for (std::int64_t rows = 1; rows <= 12; ++rows) {
      CasePlan plan;
      plan.name = std::to_string(rows) + " rows";
      plan.variables = {{"rows", rows}, {"cols", 8}};
      plan.runs.resize(2);
      plans_.push_back(plan);
    }
    write_file_atomic(path("compile.json"), to_text(compiled_));
    version_ = load_compiled_version(path("compile.json"), spec_, "cuda");
  }

  RungVerdict climb(const FakeExecutor::Kernel& kernel, const ClimbOptions& options) {
    FakeExecutor executor("cuda", kernel);
    SharedExecutor shared(executor);
    CaseQueue queue(spec_, reference_, plans_, true);
    const CaseRunner runner(spec_, version_, reference_, shared, std::chrono::seconds(10));
    return climb_rung(rung_, plans_, queue, runner, options);
  }

  // Right but for these numbers of rows.
  static FakeExecutor::Kernel wrong_for(std::set<std::int64_t> rows) {
    return [rows = std::move(rows)](const FakeLaunch& launch) {
      RunResult result = softmax_kernel(launch);
      if (rows.count(launch.rows) != 0) launch.write("y", 0, 7);
      return result;
    };
  }

  OpSpec spec_ = load_op_spec(KERNELLOOP_TEST_OPS "/softmax/op.json");
  ReferenceLibrary reference_{KERNELLOOP_TEST_SOFTMAX, std::chrono::milliseconds(60000)};
  CompiledVersion version_;
  std::vector<CasePlan> plans_;
  Rung rung_{"shapes", "there are none", nullptr};
};

TEST_F(Climb, EndsAtTheFirstWrongCaseHoweverManyLanes) {
  for (const std::size_t lanes : {1, 2, 3}) {
    const RungVerdict verdict = climb(wrong_for({5, 6, 9}), {false, lanes});
    EXPECT_EQ(verdict.status, Verdict::failed);
    ASSERT_EQ(verdict.cases.size(), 5u) << lanes;
    EXPECT_EQ(verdict.cases[3].status, Verdict::passed);
    EXPECT_EQ(verdict.cases[4].status, Verdict::failed);
    EXPECT_THAT(verdict.reason, testing::StartsWith("5 rows: "));
  }
}

TEST_F(Climb, GoesOnWhereItIsAskedTo) {
  for (const std::size_t lanes : {1, 2}) {
    const RungVerdict verdict = climb(wrong_for({5, 6, 9}), {true, lanes});
    ASSERT_EQ(verdict.cases.size(), 12u);
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(verdict.cases[i].name, std::to_string(i + 1) + " rows");
      const bool wrong = i == 4 || i == 5 || i == 8;
      EXPECT_EQ(verdict.cases[i].status, wrong ? Verdict::failed : Verdict::passed) << i;
    }
    EXPECT_THAT(verdict.reason, testing::StartsWith("5 rows: "));
  }
}

TEST_F(Climb, AsksTheDeviceForOneThingAtATime) {
  std::atomic<int> inside = 0;
  std::atomic<bool> met = false;
  const RungVerdict verdict = climb(
      [&](const FakeLaunch& launch) {
        if (inside.fetch_add(1) != 0) met = true;
        RunResult result = softmax_kernel(launch);
        inside.fetch_sub(1);
        return result;
      },
      {false, 3});
  EXPECT_EQ(verdict.status, Verdict::passed) << verdict.reason;
  EXPECT_FALSE(met);
}

TEST_F(Climb, AnErrorCountsUnlessTheRungHasEndedBeforeIt) {
  const auto broken_at = [](std::int64_t rows, FakeExecutor::Kernel kernel) {
    return [=](const FakeLaunch& launch) {
      if (launch.rows == rows) fail(ExitCode::environment, "the GPU is gone");
      return kernel(launch);
    };
  };
  for (const std::size_t lanes : {1, 2}) {
    EXPECT_THROW(climb(broken_at(6, wrong_for({})), {false, lanes}), Error);
    EXPECT_THROW(climb(broken_at(6, wrong_for({7})), {false, lanes}), Error);
    EXPECT_EQ(climb(broken_at(6, wrong_for({5})), {false, lanes}).cases.size(), 5u);
  }
}

TEST_F(Climb, ErrorsOfTheReferenceComeThrough) {
  plans_[3].variables["cols"] = 0;  // not admitted
  for (const std::size_t lanes : {1, 2}) {
    EXPECT_THROW(climb(wrong_for({}), {false, lanes}), Error);
  }
}

TEST_F(Climb, WithoutCasesARungIsSkipped) {
  plans_.clear();
  const RungVerdict verdict = climb(wrong_for({}), {false, 2});
  EXPECT_EQ(verdict.status, Verdict::skipped);
  EXPECT_EQ(verdict.reason, "there are none");
}

}  // namespace
}  // namespace kernelloop
