#include "loop/policy.hpp"

#include "support/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

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
      record.parent = history_.decision.parent;
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

TEST(Policy, BranchesOnAPlateauThenStops) {
  Course course;
  course.round({100.0}).round({120.0}).round({100.0});
  EXPECT_EQ(course.next().action, Action::branch);
  course.round({99.5}).round({101.0}).round({130.0});
  EXPECT_EQ(course.next().action, Action::branch);
  course.round({101.0});
  EXPECT_EQ(course.next().action, Action::stop);
  EXPECT_THAT(course.next().reason, testing::StartsWith("plateau: 6 rounds without a gain"));
}

// Three ideas: 100 and 110 are good, 200 is too slow to start from.
TEST(Policy, ParentsOfBranchesAreDrawnBySpeedAmongGoodAndDifferentOnes) {
  std::map<std::string, int> drawn;
  for (int op = 0; op < 400; ++op) {
    Course course;
    course.history_.op = "op" + std::to_string(op);
    course.round({110.0});
    course.history_.decision = {};  // a seed
    course.round({100.0});
    course.history_.decision = {};
    course.round({200.0}).round({101.0});
    ASSERT_EQ(course.next().action, Action::branch);
    EXPECT_THAT(course.next().reason, testing::HasSubstr("drawn by speed from 2"));
    EXPECT_EQ(decide(course.history_, {}).parent, course.next().parent);
    ++drawn[course.next().parent];
  }
  EXPECT_THAT(drawn, testing::UnorderedElementsAre(testing::Key("v001"), testing::Key("v002")));
  EXPECT_GT(drawn["v002"], drawn["v001"]);
  EXPECT_GT(drawn["v001"], 100);
}

TEST(Policy, ADuplicateAsksForAnotherIdeaAndManyStop) {
  Course course;
  course.round({100.0}).round({k_failed}, std::nullopt, Outcome::duplicate);
  EXPECT_EQ(course.next().action, Action::branch);
  EXPECT_THAT(course.next().reason, testing::HasSubstr("was there already"));
  course.round({k_failed}, std::nullopt, Outcome::duplicate);
  course.round({k_failed}, std::nullopt, Outcome::duplicate);
  EXPECT_EQ(course.next().action, Action::stop);
  EXPECT_THAT(course.next().reason, testing::StartsWith("repeated duplicates: the last 3 rounds"));
}

TEST(Policy, RepeatedFailureAfterARightVersionStopsForThat) {
  Course course;
  course.round({100.0});
  for (int i = 0; i < 5; ++i) course.round({k_failed});
  EXPECT_NE(course.next().action, Action::stop);
  course.round({k_failed});
  EXPECT_THAT(course.next().reason,
              testing::StartsWith("repeated failure: no version of the last 6"));
  EXPECT_THAT(course.next().reason, testing::HasSubstr("v001 stays the best"));
}

TEST(Policy, AFailureThatWasLeftBehindIsNotRepairedLater) {
  Course course;
  course.round({100.0}).round({k_failed}).round({90.0});
  course.round({k_failed}, std::nullopt, Outcome::bench_failed);
  EXPECT_EQ(course.next().action, Action::optimise);
  EXPECT_EQ(course.next().parent, "v003");
}

TEST(Policy, NoiseIsNoGain) {
  Course gpu;
  gpu.round({100.0}).round({99.2}).round({99.1});
  EXPECT_EQ(gpu.next().action, Action::branch);
  Course cpu("cpu");
  cpu.round({100.0}).round({97.0}).round({96.0});
  EXPECT_EQ(cpu.next().action, Action::branch);
}

TEST(Policy, SmallStepsThatAddUpAreAGain) {
  Course course;
  double time = 100.0;
  for (int i = 0; i < 12; ++i) {
    course.round({time});
    time *= 0.993;
  }
  EXPECT_NE(course.next().action, Action::stop);
}

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
