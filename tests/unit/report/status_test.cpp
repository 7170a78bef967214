#include "report/status.hpp"

#include "loop/history.hpp"
#include "propose/journal.hpp"
#include "report/explain.hpp"
#include "report/progress.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/ledger.hpp"

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StatusTest : public testing::Test {
 protected:
  StatusTest() {
    config_.op = "scale";
    config_.build_dir = root_.path() / "build/kernelloop/scale";
    config_.generated_dir = root_.path() / "generated";
    config_.versions = 2;
    config_.device = "cuda";
  }
  void step(int version, const char* name, const Json& json) const {
    write_file_atomic(config_.step_dir(version) / (std::string(name) + ".json"), to_text(json));
  }
  void publish(int version) const {
    write_file_atomic(config_.version_dir(version) / "kernel.cu", "k");
    write_file_atomic(config_.version_dir(version) / "origin.json",
                      to_text({{"mode", "seed"},
                               {"provider", "replay"},
                               {"parent", ""},
                               {"summary", "rows by warps"},
                               {"turns", 2}}));
    step(version, "proposed", {{"status", "ready"}, {"reason", ""}});
  }
  void measure(int version) const {
    step(version, "compile", {{"status", "compiled"}, {"reason", ""}});
    step(version, "verify", {{"status", "passed"}, {"reason", ""}});
    step(version, "bench",
         {{"status", "measured"},
          {"device", {{"kind", "cuda"}, {"name", "H200"}}},
          {"summary", {{"time_us", 12.34}, {"sol", 0.5}}}});
  }
  void learn(int round, Decision decision, std::optional<double> cost = 0.25) const {
    History history;
    history.op = "scale";
    history.round = round;
    history.device_kind = "cuda";
    history.device_name = "H200";
    for (int i = 1; i <= round; ++i) {
      VersionRecord record;
      record.version = version_name(i);
      record.round = i;
      record.mode = "seed";
      record.outcome = Outcome::verified;
      record.time_us = 12.34 / i;
      record.sol = 0.4 * i;
      record.cost_usd = cost;
      record.input_tokens = 30000;
      record.output_tokens = 2000;
      history.versions.push_back(record);
    }
    history.decision = std::move(decision);
    step(round, "history", to_json(history));
  }

  TemporaryDirectory root_;
  OpConfig config_;
};

TEST_F(StatusTest, FollowsAVersionStepByStep) {
  EXPECT_EQ(state_text(status_of(config_)), "v001 propose");
  publish(1);
  EXPECT_EQ(state_text(status_of(config_)), "v001 compile");
  step(1, "compile", {{"status", "compiled"}});
  EXPECT_EQ(state_text(status_of(config_)), "v001 verify");
  step(1, "verify", {{"status", "passed"}});
  EXPECT_EQ(state_text(status_of(config_)), "v001 bench");
  measure(1);
  EXPECT_EQ(state_text(status_of(config_)), "v001 learn");
  learn(1, {Decision::Action::optimise, "v001", "faster"});
  const OpStatus status = status_of(config_);
  EXPECT_EQ(state_text(status), "v002 propose");
  EXPECT_EQ(status.best, "v001");
  EXPECT_EQ(best_text(status), "12.3 µs, 40 % SOL");
  EXPECT_EQ(cost_text(status), "0.25 USD");
  EXPECT_EQ(status.versions, 1);
}

TEST_F(StatusTest, TellsAskingFromWaiting) {
  const fs::path pending = config_.generated_dir / "scale/.pending";
  write_file_atomic(pending / "v001/prompt.md", "p");
  const OpStatus waiting = status_of(config_);
  EXPECT_EQ(waiting.state, LoopState::waiting);
  EXPECT_EQ(waiting.detail, (pending / "v001/kernel.cu").string());
  write_file_atomic(pending / "v001/turn001.request.json", "{}");
  write_file_atomic(pending / "v001/turn002.request.json", "{}");
  const FileLock lock(Journal(config_.generated_dir / "scale", 1).version_lock());
  EXPECT_EQ(state_text(status_of(config_)), "v001 asking (turn 2)");
}

TEST_F(StatusTest, TellsStoppedFromFinished) {
  publish(1);
  measure(1);
  learn(1, {Decision::Action::stop, "", "roofline reached"});
  EXPECT_EQ(state_text(status_of(config_)), "stopped: roofline reached");
  learn(1, {Decision::Action::optimise, "v001", "go on"});
  publish(2);
  measure(2);
  learn(2, {Decision::Action::optimise, "v002", "go on"});
  const OpStatus status = status_of(config_);
  EXPECT_EQ(status.state, LoopState::finished);
  EXPECT_THAT(status.detail, HasSubstr("all 2 rounds are used"));
  EXPECT_EQ(status.best, "v002");
}

TEST_F(StatusTest, AnUnknownCostIsUnknown) {
  publish(1);
  measure(1);
  learn(1, {Decision::Action::optimise, "v001", ""}, std::nullopt);
  EXPECT_EQ(cost_text(status_of(config_)), "32k tokens, cost unknown");
  EXPECT_TRUE(to_json(status_of(config_))["cost_usd"].is_null());
  learn(1, {Decision::Action::optimise, "v001", ""}, 0.0);
  EXPECT_EQ(cost_text(status_of(config_)), "-");
  learn(1, {Decision::Action::optimise, "v001", ""}, 0.004);
  EXPECT_EQ(cost_text(status_of(config_)), "0.0040 USD") << "as kernelloop cost says it";
}

TEST_F(StatusTest, TheLedgerCountsWhatCameToNothingToo) {
  publish(1);
  measure(1);
  learn(1, {Decision::Action::optimise, "v001", ""}, 0.25);
  Ledger ledger(config_.generated_dir);
  for (const char* id : {"a", "b"}) {
    LedgerEntry entry;
    entry.id = id;
    entry.op = "scale";
    entry.provider = "anthropic";
    ledger.open(entry, [](const auto&) { return std::string(); });
    LedgerOutcome outcome;
    outcome.outcome = "answered";
    outcome.nano_usd = 400'000'000;
    ledger.close(id, outcome);
  }
  EXPECT_EQ(cost_text(status_of(config_)), "0.80 USD");
  config_.op = "other";
  config_.build_dir = root_.path() / "build/kernelloop/other";
  EXPECT_EQ(cost_text(status_of(config_)), "-");
}

TEST_F(StatusTest, TheTableHasALineForEachOperator) {
  const std::string table = status_table({status_of(config_)});
  EXPECT_EQ(table,
            "  op      versions   best   time   adopted   cost   state\n"
            "  scale   0/2        -      -      -         -      v001 propose\n");
}

TEST_F(StatusTest, ProgressTellsEachThingOnce) {
  Progress progress(config_);
  EXPECT_THAT(progress.news(), IsEmpty());
  publish(1);
  EXPECT_THAT(progress.news(), ElementsAre("v001 proposed: seed by replay: rows by warps"));
  EXPECT_THAT(progress.news(), IsEmpty());
  measure(1);
  learn(1, {Decision::Action::optimise, "v001", "v001 is right"});
  EXPECT_THAT(progress.news(),
              ElementsAre("v001 compiled", "v001 verified: passed", "v001 12.3 µs, 50 % SOL",
                          "v001 next: optimise: v001 is right"));
  step(1, "verify", {{"status", "failed"}, {"reason", "rung shapes"}});
  step(2, "proposed", {{"status", "stopped"}, {"reason", "plateau"}});
  write_file_atomic(config_.step_dir(2) / "compile.json", "{ half");
  EXPECT_THAT(progress.news(),
              ElementsAre("v001 verified: failed: rung shapes", "v002 no proposal: plateau"));
}

TEST_F(StatusTest, WhyTellsRoundByRound) {
  publish(1);
  measure(1);
  learn(1, {Decision::Action::optimise, "v001", "v001 is at 40 %"});
  publish(2);
  measure(2);
  learn(2, {Decision::Action::stop, "", "roofline reached"});
  write_file_atomic(config_.generated_dir / "scale/steering.json", R"({"pin": "v001"})");
  const std::string text = explain_loop(config_);
  for (const char* part : {"scale: roofline reached\n", "  best: v002 with 6.2 µs\n",
                           "  round 1: v001 12.3 µs; then optimise: v001 is at 40 %\n",
                           "  round 2: v002 6.2 µs; then stop: roofline reached\n",
                           "  pinned: v001\n", "kernelloop steer scale --fork vNNN"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST_F(StatusTest, WhyTellsHowToGoOnAfterABudget) {
  step(1, "proposed", {{"status", "stopped"}, {"reason", "budget of scale spent"}});
  History history;
  history.op = "scale";
  history.round = 1;
  history.decision = {Decision::Action::stop, "", "budget of scale spent"};
  step(1, "history", to_json(history));
  const std::string text = explain_loop(config_);
  EXPECT_THAT(text, HasSubstr("change that (budget, prices, provider, recording), then kernelloop "
                              "resume scale and build optimize_scale"));
  EXPECT_THAT(text, testing::Not(HasSubstr("vNNN"))) << "there is no version to fork";
}

TEST_F(StatusTest, WhyTellsOfAVersionWithItsNote) {
  publish(1);
  EXPECT_THAT(explain_version(config_, 1), HasSubstr("not compiled in this build directory yet"));
  step(1, "compile",
       {{"status", "failed"},
        {"reason", "does not compile"},
        {"problems", {{{"severity", "error"}, {"message", "no such thing"}, {"line", 3}}}}});
  write_file_atomic(config_.version_dir(1) / "feedback.md", "Try fewer registers.\n");
  const std::string text = explain_version(config_, 1);
  for (const char* part : {"scale v001: seed by replay, 2 turns", "rows by warps",
                           "error at line 3: no such thing", "Try fewer registers."}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  try {
    explain_version(config_, 7);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("scale: there is no version v007 in"));
  }
}

}  // namespace
}  // namespace kernelloop
