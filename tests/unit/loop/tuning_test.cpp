#include "loop/tuning.hpp"

#include "loop/policy.hpp"
#include "support/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kernelloop {
namespace {

using Action = Decision::Action;

class Tuned : public testing::Test {
 protected:
  Tuned() {
    history_.device_kind = "cuda";
    history_.decision.action = Action::seed;
    config_.versions = 16;
    config_.languages = {"TRITON"};
  }

  // A round with one version, in the mode that the policy asked for; no time: it was wrong.
  Decision& round(std::optional<double> us, std::int64_t configurations = 1) {
    VersionRecord record;
    record.version = version_name(static_cast<int>(history_.versions.size()) + 1);
    record.round = ++history_.round;
    record.mode = name_of(history_.decision.action);
    record.parent = history_.decision.parent;
    record.outcome = us ? Outcome::verified : Outcome::wrong;
    record.time_us = us;
    record.configurations = configurations;
    history_.versions.push_back(record);
    history_.decision = decide(history_, {});
    return history_.decision;
  }

  History history_;
  OpConfig config_;
};

TEST_F(Tuned, EachConfigurationOfARightVersionIsTried) {
  EXPECT_EQ(round(100.0, 3).action, Action::tune);
  EXPECT_EQ(history_.decision.parent, "v001");
  EXPECT_EQ(history_.decision.reason, "try configuration 2 of 3 of v001");
  EXPECT_EQ(round(120.0).reason, "try configuration 3 of 3 of v001");
  EXPECT_EQ(round(90.0).action, Action::optimise);
  EXPECT_EQ(history_.decision.parent, "v003");
}

TEST_F(Tuned, OneThatFailsIsNeitherRepairedNorCounted) {
  round(100.0, 9);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(round(std::nullopt).action, Action::tune) << i;
    EXPECT_EQ(history_.decision.parent, "v001");
  }
  EXPECT_EQ(round(std::nullopt).action, Action::optimise);  // no plateau, no repeated failure
  EXPECT_EQ(history_.decision.parent, "v001");
}

TEST_F(Tuned, AWrongOrMuchSlowerVersionIsNot) {
  EXPECT_EQ(round(std::nullopt, 4).action, Action::fix);
  round(100.0);
  EXPECT_EQ(round(130.0, 4).action, Action::optimise);
  EXPECT_EQ(round(119.0, 2).action, Action::tune);
  EXPECT_EQ(history_.decision.parent, "v004");
}

TEST_F(Tuned, TheFastestFamilyGoesFirst) {
  round(100.0, 2);
  history_.versions[0].mode = "seed";
  round(101.0);
  ASSERT_EQ(history_.versions[1].mode, "tune");
  round(95.0, 2);
  EXPECT_EQ(history_.decision.parent, "v003");
}

TEST_F(Tuned, StopsAtTheRooflineAllTheSame) {
  VersionRecord record;
  record.version = "v001";
  record.round = history_.round = 1;
  record.mode = "seed";
  record.outcome = Outcome::verified;
  record.time_us = 10;
  record.sol = 0.95;
  record.configurations = 5;
  history_.versions = {record};
  EXPECT_EQ(decide(history_, {}).action, Action::stop);
}

TEST_F(Tuned, VersionsOfARoundTakeOneEach) {
  config_.candidates = 3;
  config_.versions = 9;
  round(100.0, 4);
  history_.round = 1;
  EXPECT_EQ(tuning_for(history_, config_, 4)->next, 1);
  EXPECT_EQ(tuning_for(history_, config_, 5)->next, 2);
  EXPECT_EQ(tuning_for(history_, config_, 6)->next, 3);
  history_.versions[0].configurations = 3;
  EXPECT_FALSE(tuning_for(history_, config_, 6));
  EXPECT_EQ(decision_for(history_, config_, 5).action, Action::tune);
  EXPECT_EQ(decision_for(history_, config_, 6).action, Action::optimise);
  EXPECT_EQ(decision_for(history_, config_, 6).parent, "v001");
}

TEST_F(Tuned, TheFirstVersionsTryEachLanguage) {
  config_.languages = {"TRITON", "CUDA"};
  round(100.0, 4);
  EXPECT_FALSE(tuning_for(history_, config_, 2));
  EXPECT_EQ(decision_for(history_, config_, 2).action, Action::optimise);
  EXPECT_EQ(tuning_for(history_, config_, 3)->next, 1);
}

TEST_F(Tuned, IsKeptInTheHistory) {
  round(100.0, 4);
  const History again = history_from_json(parse_json(to_text(to_json(history_)), "history.json"));
  EXPECT_EQ(again.decision.action, Action::tune);
  EXPECT_EQ(again.versions.at(0).configurations, 4);
}

}  // namespace
}  // namespace kernelloop
