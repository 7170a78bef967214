#include "loop/steering.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using Action = Decision::Action;

class SteeringTest : public testing::Test {
 protected:
  SteeringTest() {
    config_.op = "scale";
    config_.generated_dir = root_.path() / "generated";
    config_.versions = 8;
    config_.sol_target = 0.9;
    history_.op = "scale";
    history_.round = 3;
    history_.device_kind = "cuda";
    history_.versions = {version(1, 20.0, 0.4), version(2, 15.0, 0.6), version(3, 8.0, 0.95)};
    history_.decision = {Action::stop, "", "roofline reached"};
    for (int number = 1; number <= 3; ++number) publish(number);
  }
  void publish(int number) const {
    write_file_atomic(config_.version_dir(number) / "kernel.cu", "k");
  }
  static VersionRecord version(int number, double time_us, double sol) {
    VersionRecord record;
    record.version = fmt::format("v{:03}", number);
    record.round = number;
    record.mode = "optimise";
    record.outcome = Outcome::verified;
    record.time_us = time_us;
    record.sol = sol;
    return record;
  }
  std::string error_of(const std::string& text) const {
    write_file_atomic(steering_file(config_), text);
    try {
      load_steering(config_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return {};
  }

  TemporaryDirectory root_;
  OpConfig config_;
  History history_;
};

TEST_F(SteeringTest, NothingIsSteeredWithoutAFile) {
  EXPECT_TRUE(load_steering(config_).empty());
  const History same = steered(history_, {}, config_);
  EXPECT_EQ(to_json(same), to_json(history_));
}

TEST_F(SteeringTest, IsReadAsItWasWritten) {
  Steering steering;
  steering.pin = "v002";
  steering.fork_parent = "v001";
  steering.fork_version = "v004";
  steering.rejected = {{"v003", "needs 200 KiB of shared memory"}};
  save_steering(config_, steering);
  const Steering again = load_steering(config_);
  EXPECT_EQ(again.pin, "v002");
  EXPECT_EQ(again.fork_parent, "v001");
  EXPECT_EQ(again.fork_version, "v004");
  EXPECT_EQ(again.rejected, steering.rejected);
  save_steering(config_, {});
  EXPECT_FALSE(std::filesystem::exists(steering_file(config_)));
}

TEST_F(SteeringTest, ARejectedVersionIsNotBestAndItsStopIsLifted) {
  Steering steering;
  steering.rejected["v003"] = "not portable";
  const History seen = steered(history_, steering, config_);
  ASSERT_NE(seen.best(), nullptr);
  EXPECT_EQ(seen.best()->version, "v002");
  EXPECT_EQ(seen.find("v003")->outcome, Outcome::rejected);
  EXPECT_EQ(seen.find("v003")->failure, "rejected by the engineer: not portable");
  EXPECT_EQ(seen.decision.action, Action::optimise);
  EXPECT_EQ(seen.decision.parent, "v002");
}

TEST_F(SteeringTest, AForkIsForOneRoundAndLiftsAStop) {
  Steering steering;
  steering.fork_parent = "v001";
  steering.fork_version = "v004";
  History seen = steered(history_, steering, config_);
  EXPECT_EQ(seen.decision.action, Action::optimise);
  EXPECT_EQ(seen.decision.parent, "v001");
  EXPECT_EQ(seen.decision.reason, "the engineer forks from v001");
  history_.round = 4;
  EXPECT_EQ(steered(history_, steering, config_).decision.action, Action::stop);
}

TEST_F(SteeringTest, APinHoldsUntilTheLoopStops) {
  Steering steering;
  steering.pin = "v002";
  EXPECT_EQ(steered(history_, steering, config_).decision.action, Action::stop);
  history_.decision = {Action::branch, "v001", "plateau"};
  EXPECT_EQ(steered(history_, steering, config_).decision.parent, "v002");
  history_.round = 5;
  EXPECT_EQ(steered(history_, steering, config_).decision.parent, "v002");
}

// A fork or a pin goes before what the policy has drawn.
TEST_F(SteeringTest, AForkWinsAgainstADrawnParent) {
  history_.decision = {Action::branch, "v002", "plateau, drawn by speed from 2"};
  Steering steering;
  steering.pin = "v002";
  steering.fork_parent = "v001";
  steering.fork_version = "v004";
  const Decision decision = steered(history_, steering, config_).decision;
  EXPECT_EQ(decision.action, Action::optimise);
  EXPECT_EQ(decision.parent, "v001");
}

TEST_F(SteeringTest, FromAWrongVersionTheAskIsToMendIt) {
  history_.versions[0].outcome = Outcome::wrong;
  Steering steering;
  steering.fork_parent = "v001";
  steering.fork_version = "v004";
  EXPECT_EQ(steered(history_, steering, config_).decision.action, Action::fix);
}

TEST_F(SteeringTest, AForkWhoseRoundIsThereIsSpent) {
  config_.candidates = 2;
  Steering steering;
  steering.fork_parent = "v001";
  steering.fork_version = "v005";
  publish(5);
  save_steering(config_, steering);
  EXPECT_EQ(load_steering(config_).fork_parent, "v001") << "v006 is still to come";
  publish(6);
  EXPECT_TRUE(load_steering(config_).empty());
}

TEST_F(SteeringTest, AParentMustBeThere) {
  EXPECT_THAT(error_of(R"({"pin": "v009"})"),
              HasSubstr("steering.json:1:9: there is no version v009 in"));
  EXPECT_THAT(error_of(R"({"fork": {"from": "v009", "for": "v004"}})"),
              HasSubstr("there is no version v009"));
  EXPECT_EQ(error_of(R"({"fork": {"from": "v009", "for": "v003"}})"), "") << "spent";
}

TEST_F(SteeringTest, SaysWhatIsWrongWithTheFile) {
  EXPECT_THAT(error_of("[]"), HasSubstr("must be an object"));
  EXPECT_THAT(error_of("{\n\"pin\": 3}"), HasSubstr("steering.json:2:8: must be a version"));
  EXPECT_THAT(error_of(R"({"pin": "best"})"), HasSubstr("must be a version, as \"v003\""));
  EXPECT_THAT(error_of(R"({"fork": {"from": "v001"}})"),
              HasSubstr("must have \"from\" and \"for\""));
  EXPECT_THAT(error_of(R"({"rejected": ["v001"]})"), HasSubstr("\"rejected\" must be an object"));
  EXPECT_THAT(error_of(R"({"rejected": {"v001": 1}})"), HasSubstr("a version with a reason"));
  EXPECT_THAT(error_of(R"({"pined": "v001"})"), HasSubstr("unknown member \"pined\""));
}

}  // namespace
}  // namespace kernelloop
