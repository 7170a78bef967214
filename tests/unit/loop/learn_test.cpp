#include "loop/learn.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

class Learn : public testing::Test {
 protected:
  Learn() {
    config_.op = "softmax";
    config_.build_dir = directory_.path() / "build";
    config_.generated_dir = directory_.path() / "generated";
    config_.versions = 4;
    config_.device = "cpu";
  }

  void write(int version, const char* file, const Json& json) {
    write_file_atomic(config_.step_dir(version) / file, to_text(json));
  }

  void origin(int version, const std::string& mode) {
    write_file_atomic(config_.version_dir(version) / "origin.json",
                      to_text({{"mode", mode},
                               {"parent", ""},
                               {"summary", "says it is the best"},
                               {"provider", "replay"},
                               {"model", "m"},
                               {"requests", 2},
                               {"tokens", {{"input", 100}, {"output", 50}}},
                               {"cost_usd", nullptr}}));
  }

  void verified(int version, double time_us) {
    origin(version, "seed");
    write(version, "proposed.json", {{"status", "ready"}});
    write(version, "compile.json", {{"status", "compiled"}});
    write(version, "verify.json",
          {{"status", "passed"}, {"device", {{"kind", "cpu"}, {"name", "A processor"}}}});
    write(version, "bench.json",
          {{"status", "measured"},
           {"summary", {{"time_us", time_us}, {"sol", nullptr}}},
           {"workloads", Json::array()}});
  }

  void stopped(int version) {
    write(version, "proposed.json", {{"status", "stopped"}, {"reason", "plateau"}});
    write(version, "compile.json", {{"status", "stopped"}});
  }

  TemporaryDirectory directory_;
  OpConfig config_;
};

TEST_F(Learn, FoldsRoundAfterRound) {
  verified(1, 100.0);
  learn(config_, 1, 0.9);
  origin(2, "optimise");
  write(2, "proposed.json", {{"status", "ready"}});
  write(2, "compile.json",
        {{"status", "failed"},
         {"problems",
          {{{"severity", "warning"}, {"message", "unused"}, {"line", 3}},
           {{"severity", "error"}, {"message", "expected a ;"}, {"line", 7}}}}});
  const History history = learn(config_, 2, 0.9);
  ASSERT_EQ(history.versions.size(), 2u);
  EXPECT_EQ(history.best()->version, "v001");
  EXPECT_EQ(history.versions[1].outcome, Outcome::compile_failed);
  EXPECT_EQ(history.versions[1].failure, "line 7: expected a ;");
  EXPECT_EQ(history.versions[1].input_tokens, 100);
  EXPECT_FALSE(history.versions[1].cost_usd);
  EXPECT_EQ(history.decision.parent, "v002");
  EXPECT_EQ(history.device_name, "A processor");

  const History read = history_from_json(read_json(config_.history_dir(2) / "history.json"));
  EXPECT_EQ(to_json(read), to_json(history));
}

TEST_F(Learn, UnchangedEvidenceWritesNothing) {
  verified(1, 100.0);
  learn(config_, 1, 0.9);
  const auto stamp = std::filesystem::last_write_time(config_.history_dir(1) / "history.json");
  learn(config_, 1, 0.9);
  EXPECT_EQ(std::filesystem::last_write_time(config_.history_dir(1) / "history.json"), stamp);
}

TEST_F(Learn, AStopIsKeptUntilSomebodyAddsAVersion) {
  verified(1, 100.0);
  History history = learn(config_, 1, 0.9);
  history.decision = {Decision::Action::stop, "", "roofline reached: v001"};
  write_file_atomic(config_.history_dir(1) / "history.json", to_text(to_json(history)));
  stopped(2);
  EXPECT_EQ(learn(config_, 2, 0.9).decision.reason, "roofline reached: v001");
  EXPECT_EQ(learn(config_, 2, 0.9).versions.size(), 1u);
  verified(2, 50.0);
  EXPECT_EQ(learn(config_, 2, 0.9).decision.action, Decision::Action::optimise);
}

TEST_F(Learn, AVersionSentOnceMoreIsRecordedAndDecidesAnotherIdea) {
  verified(1, 100.0);
  learn(config_, 1, 0.9);
  origin(2, "optimise");
  write(2, "proposed.json", {{"status", "ready"}});
  write(2, "compile.json", {{"status", "duplicate"}, {"reason", "the same source as v001"}});
  write(2, "verify.json", {{"status", "skipped"}});
  const History history = learn(config_, 2, 0.9);
  EXPECT_EQ(history.versions[1].outcome, Outcome::duplicate);
  EXPECT_EQ(history.versions[1].failure, "the same source as v001");
  EXPECT_FALSE(history.versions[1].time_us);
  EXPECT_EQ(history.decision.action, Decision::Action::branch);
  EXPECT_THAT(read_file(config_.history_dir(2) / "feedback.md"),
              testing::HasSubstr("## v002: duplicate\nthe same source as v001\n"));
  const History read = history_from_json(read_json(config_.history_dir(2) / "history.json"));
  EXPECT_EQ(to_json(read), to_json(history));
}

TEST_F(Learn, AProviderThatEndsStopsTheLoopWithItsReason) {
  verified(1, 100.0);
  learn(config_, 1, 0.9);
  write(2, "proposed.json", {{"status", "stopped"}, {"reason", "recording ends here"}});
  const History history = learn(config_, 2, 0.9);
  EXPECT_EQ(history.decision.action, Decision::Action::stop);
  EXPECT_EQ(history.decision.reason, "recording ends here");
}

// Invariant 4: nothing that the origin claims enters the verdict.
TEST_F(Learn, AClaimOfTheModelCountsForNothing) {
  verified(1, 100.0);
  write_file_atomic(config_.version_dir(1) / "origin.json",
                    to_text({{"mode", "seed"},
                             {"status", "verified"},
                             {"time_us", 0.1},
                             {"sol", 1.0},
                             {"summary", "at the roofline"}}));
  write(1, "verify.json", {{"status", "failed"}, {"reason", "smoke: y is all zero"}});
  const History history = learn(config_, 1, 0.9);
  EXPECT_EQ(history.versions[0].outcome, Outcome::wrong);
  EXPECT_FALSE(history.versions[0].time_us);
  EXPECT_EQ(history.best(), nullptr);
}

TEST_F(Learn, ABrokenHistoryIsAClearError) {
  verified(1, 100.0);
  verified(2, 90.0);
  write_file_atomic(config_.history_dir(1) / "history.json", "{\"op\": 3}");
  try {
    learn(config_, 2, 0.9);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr("not a history of this KernelLoop"));
  }
}

}  // namespace
}  // namespace kernelloop
