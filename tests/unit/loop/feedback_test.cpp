#include "loop/feedback.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

class Feedback : public testing::Test {
 protected:
  std::string text(Outcome outcome) {
    History history;
    history.round = 1;
    history.device_kind = kind_;
    history.device_name = "A device";
    VersionRecord record;
    record.version = "v001";
    record.outcome = outcome;
    record.failure = "smoke: y is wrong";
    if (outcome == Outcome::verified) record.time_us = 123.456;
    history.versions = {record};
    history.decision = {Decision::Action::fix, "v001", "repair v001"};
    return feedback_text(history, {evidence_});
  }

  std::string kind_ = "cuda";
  VersionEvidence evidence_{1, {}, {}, {}, {}, {}, {}};
};

TEST_F(Feedback, CompileErrorsCarryTheirSourceLine) {
  evidence_.compiled = {{"problems",
                         {{{"severity", "error"},
                           {"line", 12},
                           {"message", "expected a ;"},
                           {"source_line", "int i = 0"}}}}};
  EXPECT_THAT(text(Outcome::compile_failed),
              HasSubstr("- error at line 12: expected a ;\n  `int i = 0`"));
}

TEST_F(Feedback, AWrongAnswerSaysCaseMetricWorstElementAndPattern) {
  evidence_.verified = {
      {"rungs",
       {{{"name", "smoke"},
         {"status", "failed"},
         {"reason", "1 of 1 cases"},
         {"cases",
          {{{"name", "small"},
            {"status", "failed"},
            {"axes", {{"rows", 4}, {"cols", 7}}},
            {"outputs",
             {{{"name", "y"},
               {"gates",
                {{{"metric", "normwise"}, {"limit", 0.01}, {"value", 0.98}, {"passed", false}},
                 {{"metric", "cosine"}, {"limit", 0.9}, {"value", 0.95}, {"passed", true}}}},
               {"worst", {{"index", {3, 6}}, {"got", 0.0}, {"expected", 0.25}}},
               {"pattern", "the last 7 columns"}}}}}}}}}}};
  const std::string feedback = text(Outcome::wrong);
  EXPECT_THAT(feedback, HasSubstr("case `small` (rows=4, cols=7)"));
  EXPECT_THAT(feedback, HasSubstr("normwise is 0.98 (limit 0.01)"));
  EXPECT_THAT(feedback, Not(HasSubstr("cosine")));
  EXPECT_THAT(feedback, HasSubstr("worst at [3,6]: got 0.0, expected 0.25"));
  EXPECT_THAT(feedback, HasSubstr("pattern: the last 7 columns"));
}

TEST_F(Feedback, AFaultIsNamed) {
  evidence_.verified = {
      {"rungs",
       {{{"name", "smoke"},
         {"status", "failed"},
         {"cases",
          {{{"name", "s"},
            {"status", "failed"},
            {"fault", {{"kind", "illegal_access"}, {"message", "wrote past y"}}}}}}}}}};
  EXPECT_THAT(text(Outcome::wrong), HasSubstr("illegal_access: wrote past y"));
}

TEST_F(Feedback, TimesAreRoundedSoThatNoiseChangesNoPrompt) {
  evidence_.measured = {{"workloads",
                         {{{"name", "wide"},
                           {"axes", {{"rows", 2}}},
                           {"median_us", 123.456},
                           {"spread", 0.0123},
                           {"bytes_per_second", 3.21987e12},
                           {"sol", 0.7549}}}}};
  const std::string first = text(Outcome::verified);
  EXPECT_THAT(first, HasSubstr("| wide (rows=2) | 124 µs | under 2 % | 3200 | 75 % |"));
  evidence_.measured["workloads"][0]["median_us"] = 123.6;
  evidence_.measured["workloads"][0]["sol"] = 0.7535;
  EXPECT_EQ(text(Outcome::verified), first);
}

TEST_F(Feedback, TimesThatAreNoisyAreCalledSo) {
  evidence_.measured = {{"workloads", Json::array()}, {"summary", {{"noise", nullptr}}}};
  EXPECT_THAT(text(Outcome::verified), Not(HasSubstr("noisy")));
  evidence_.measured["summary"]["noise"] =
      "half of the samples of workload 'wide' spread over 31 %";
  EXPECT_THAT(text(Outcome::verified),
              HasSubstr("\nnoisy: half of the samples of workload 'wide' spread over 31 %\n"));
}

// Invariant 7: a time of the CPU device never looks like a GPU time.
TEST_F(Feedback, ACpuTimeIsLabelled) {
  kind_ = "cpu";
  evidence_.measured = {{"workloads",
                         {{{"name", "wide"},
                           {"axes", {{"rows", 2}}},
                           {"median_us", 5.0},
                           {"spread", 0.0},
                           {"sol", nullptr}}}}};
  const std::string feedback = text(Outcome::verified);
  EXPECT_THAT(feedback, HasSubstr("wall time (CPU emulation, not a GPU time)"));
  EXPECT_THAT(feedback, Not(HasSubstr("roofline")));
}

TEST_F(Feedback, AVersionIsHeldAgainstTheOneItWasMadeFrom) {
  History history;
  history.round = 2;
  history.device_kind = "cuda";
  history.versions.resize(2);
  for (VersionRecord& record : history.versions) record.outcome = Outcome::verified;
  history.versions[0].version = "v001";
  history.versions[0].time_us = 100.0;
  history.versions[1].version = "v002";
  history.versions[1].parent = "v001";
  history.versions[1].time_us = 86.3;
  evidence_.version = 2;
  EXPECT_THAT(feedback_text(history, {evidence_}),
              HasSubstr("It takes 0.86 times what v001 takes, which it was made from.\n"));
  history.versions[1].time_us = 99.5;
  EXPECT_THAT(feedback_text(history, {evidence_}),
              HasSubstr("As fast as v001, which it was made from.\n"));
  history.versions[1].outcome = Outcome::bench_failed;
  EXPECT_THAT(feedback_text(history, {evidence_}), Not(HasSubstr("made from")));
}

TEST_F(Feedback, CountersSayWhatBounds) {
  EXPECT_THAT(text(Outcome::verified), Not(HasSubstr("Hardware counters")));
  evidence_.profiled = {{"workload", {{"name", "large"}}},
                        {"digest", {"Bound by device memory: 92 %.", "Occupancy: 50 %."}}};
  EXPECT_THAT(text(Outcome::verified),
              HasSubstr("Hardware counters, workload large:\n- Bound by device memory: 92 %.\n- "
                        "Occupancy: 50 %.\n"));
}

}  // namespace
}  // namespace kernelloop
