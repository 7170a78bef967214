#include "loop/policy.hpp"

#include "support/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace kernelloop {
namespace {

using Action = Decision::Action;

class Course {
 public:
  explicit Course(std::string device = "cuda") {
    history_.device_kind = std::move(device);
    history_.decision.action = Action::seed;
  }

  // One round with one version per entry; the mode is what the policy asked for.
  Course& round(std::vector<std::optional<double>> times, std::optional<double> sol = std::nullopt,
                Outcome failure = Outcome::wrong) {
    ++history_.round;
    for (const auto& time : times) {
      VersionRecord record;
      record.version = version_name(static_cast<int>(history_.versions.size()) + 1);
      record.round = history_.round;
      record.mode = name_of(history_.decision.action);
      record.outcome = time ? Outcome::verified : failure;
      record.failure = time ? "" : "rung smoke failed";
      record.time_us = time;
      record.sol = sol;
      history_.versions.push_back(record);
    }
    history_.decision = decide(history_, settings_);
    return *this;
  }

  [[nodiscard]] const Decision& next() const { return history_.decision; }

  PolicySettings settings_;
  History history_;
};

constexpr std::nullopt_t k_failed = std::nullopt;

TEST(Policy, AWrongSeedIsRepairedThenGivenUp) {
  Course course;
  course.round({k_failed});
  EXPECT_EQ(course.next().action, Action::fix);
  EXPECT_EQ(course.next().parent, "v001");
  EXPECT_THAT(course.next().reason, testing::HasSubstr("rung smoke failed"));
  EXPECT_EQ(course.round({k_failed}).next().parent, "v002");
  EXPECT_EQ(course.round({k_failed}).next().action, Action::seed);
}

TEST(Policy, TheBestVersionIsRefined) {
  Course course;
  course.round({100.0}).round({80.0});
  EXPECT_EQ(course.next().action, Action::optimise);
  EXPECT_EQ(course.next().parent, "v002");
}

TEST(Policy, AFailedSpeedUpIsRepairedBeforeTheNextIdea) {
  Course course;
  course.round({100.0}).round({k_failed});
  EXPECT_EQ(course.next().action, Action::fix);
  EXPECT_EQ(course.next().parent, "v002");
  course.round({k_failed}).round({k_failed});
  EXPECT_NE(course.next().action, Action::fix);
}

TEST(Policy, BranchesFromAnotherGoodVersionOnAPlateauThenStops) {
  Course course;
  course.round({100.0}).round({120.0}).round({100.0});
  EXPECT_EQ(course.next().action, Action::branch);
  EXPECT_EQ(course.next().parent, "v003");
  course.round({99.5}).round({101.0});
  EXPECT_EQ(course.next().action, Action::stop);
  EXPECT_THAT(course.next().reason, testing::StartsWith("plateau: 4 rounds without a gain"));
}

TEST(Policy, NoiseIsNoGain) {
  Course gpu;
  gpu.round({100.0}).round({99.2}).round({98.9});
  EXPECT_EQ(gpu.next().action, Action::branch);
  Course cpu("cpu");
  cpu.round({100.0}).round({97.0}).round({96.0});
  EXPECT_EQ(cpu.next().action, Action::branch);
}

// Small steps that add up are a gain: the bar is the last best, and it moves only with a gain
// shown.
TEST(Policy, StopsAtTheRoofline) {
  Course course;
  course.round({100.0}, 0.5).round({55.0}, 0.905);
  EXPECT_EQ(course.next().action, Action::stop);
  EXPECT_THAT(course.next().reason, testing::StartsWith("roofline reached: v002"));
}

TEST(Policy, GivesUpWhenNothingIsEverRight) {
  Course course;
  for (int i = 0; i < 8; ++i) course.round({k_failed}, std::nullopt, Outcome::compile_failed);
  EXPECT_EQ(course.next().action, Action::stop);
  EXPECT_THAT(course.next().reason, testing::HasSubstr("no version was right in 8 rounds"));
}

TEST(Policy, NotRunnableHereIsNoFaultToRepair) {
  Course course;
  course.round({k_failed}, std::nullopt, Outcome::not_runnable);
  EXPECT_EQ(course.next().action, Action::seed);
}

TEST(Policy, LanesOfARoundCountTogether) {
  Course course;
  course.round({k_failed, 100.0, k_failed, 90.0});
  EXPECT_EQ(course.next().action, Action::optimise);
  EXPECT_EQ(course.next().parent, "v004");
}

}  // namespace
}  // namespace kernelloop
