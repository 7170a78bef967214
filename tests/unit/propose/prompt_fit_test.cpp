// What a prompt leaves out when room is short, and how the two kinds of rounds ask.
#include "loop/bottleneck.hpp"
#include "loop/feedback.hpp"
#include "propose/meter.hpp"
#include "propose/prompt.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* k_feedback = "# What was measured in round 9\n\nnumbers of the last round\n";

class PromptFit : public testing::Test {
 protected:
  PromptFit() {
    config_.op = "scale";
    config_.generated_dir = root_.path() / "generated";
    config_.build_dir = root_.path() / "build";
    config_.reference_source = root_.path() / "scale.cpp";
    config_.device = "cuda";
    config_.architectures = {"90a"};
    write_file_atomic(config_.reference_source, "// reference\n" + std::string(600, 'r') + "\n");
    spec_.name = "scale";
    spec_.axes = {{"n", Axis::Kind::variable, 0, {}, "elements"}};
    history_.op = "scale";
    history_.device_kind = "cuda";
    history_.round = 9;
    for (int number = 1; number <= 9; ++number) {
      VersionRecord record;
      record.version = version_name(number);
      record.round = number;
      record.mode = "optimise";
      record.outcome = number == 9 ? Outcome::wrong : Outcome::verified;
      record.failure = number == 9 ? "rung smoke failed" : "";
      if (number != 9) record.time_us = 20.0 + number;
      record.change = std::string(120, 'c');
      history_.versions.push_back(record);
      write_file_atomic(config_.version_dir(number) / "kernel.cu",
                        "// source of " + record.version + "\n" + std::string(600, 's') + "\n");
    }
    history_.versions[1].bottleneck =
        Bottleneck{"latency",
                   "latency: `big` keeps device memory busy to 40 % only",
                   {"1700 GB/s of 4300 GB/s", "Occupancy: 20 %."}};
    history_.decision = {Decision::Action::optimise, "v002", "make v002 faster"};
  }

  void ask_for(Decision::Action action, const std::string& parent) {
    history_.decision = {action, parent, ""};
  }

  [[nodiscard]] Prompt compose(std::int64_t most_tokens = 0, bool tools = false) const {
    return compose_prompt(config_, spec_, 10, history_, k_feedback, templates_,
                          {most_tokens, tools});
  }

  // Lowers the limit below what each prompt takes, until no prompt fits.
  std::vector<std::string> everything_left_out() const {
    std::vector<std::string> left_out;
    Prompt prompt = compose();
    EXPECT_EQ(prompt.record["left_out"], Json::array());
    EXPECT_EQ(prompt.record["limit"], nullptr);
    EXPECT_THAT(prompt.user, Not(HasSubstr("Left out here")));
    try {
      while (true) {
        const auto limit = prompt.record["tokens"].get<std::int64_t>() - 1;
        prompt = compose(limit);
        EXPECT_LE(prompt.record["tokens"], limit);
        EXPECT_EQ(prompt.record["limit"], limit);
        const auto now = prompt.record["left_out"].get<std::vector<std::string>>();
        // One thing more, after all that was left out before.
        EXPECT_EQ(now.size(), left_out.size() + 1);
        EXPECT_TRUE(std::equal(left_out.begin(), left_out.end(), now.begin()));
        EXPECT_THAT(prompt.user,
                    HasSubstr(fmt::format("Left out here, to keep within {} tokens: {}.", limit,
                                          fmt::join(now, "; "))));
        left_out = now;
        last_ = prompt.user;
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("max_prompt_tokens is "));
      EXPECT_THAT(error.what(), HasSubstr("raise the limit, or shorten hints"));
    }
    return left_out;
  }

  TemporaryDirectory root_;
  OpConfig config_;
  OpSpec spec_;
  History history_;
  Templates templates_;
  mutable std::string last_;  // the shortest prompt
};

TEST_F(PromptFit, TheEstimateIsOfAllThatIsSent) {
  const Prompt prompt = compose(0, true);
  EXPECT_THAT(prompt.system, HasSubstr("What you can read"));
  EXPECT_EQ(prompt.record["tokens"], estimated_tokens(prompt.system.size() + prompt.user.size()));
  EXPECT_EQ(prompt.record["parts"]["system"], estimated_tokens(prompt.system.size()));
  EXPECT_EQ(prompt.record["parts"]["feedback"],
            estimated_tokens(std::string("\n").size() + std::string(k_feedback).size()));
  EXPECT_FALSE(prompt.record["parts"].contains("hints")) << "there are none";
}

TEST_F(PromptFit, ASpeedRoundLeavesOutTheLeastNeededFirst) {
  EXPECT_THAT(
      everything_left_out(),
      ElementsAre("all but the last rows of what was tried", "the source of the fastest version",
                  "what was tried", "what was measured last", "the notes on the device",
                  "the source of the reference"));
  // What it cannot do without.
  for (const char* part : {"source of v002", "latency: `big`", "1700 GB/s", "One ask:"}) {
    EXPECT_THAT(last_, HasSubstr(part));
  }
  EXPECT_THAT(last_, Not(HasSubstr("source of v001")));
}

TEST_F(PromptFit, ARepairKeepsFeedbackAndReference) {
  ask_for(Decision::Action::fix, "v009");
  EXPECT_THAT(everything_left_out(), ElementsAre("all but the last rows of what was tried",
                                                 "the source of the fastest version",
                                                 "what was tried", "the notes on the device"));
  for (const char* part : {"source of v009", "numbers of the last round", "// reference"}) {
    EXPECT_THAT(last_, HasSubstr(part));
  }
}

TEST_F(PromptFit, ALimitThatIsNotReachedChangesNothing) {
  EXPECT_EQ(compose(1'000'000).user, compose().user);
}

TEST_F(PromptFit, ASpeedRoundNamesOneBottleneckItsEvidenceAndOneAsk) {
  for (const Decision::Action action : {Decision::Action::optimise, Decision::Action::branch}) {
    ask_for(action, "v002");
    const std::string text = compose().user;
    EXPECT_THAT(text, HasSubstr("**latency: `big` keeps device memory busy to 40 % only**\n\n"
                                "- 1700 GB/s of 4300 GB/s\n- Occupancy: 20 %.\n"));
    EXPECT_EQ(text.find("**"), text.rfind("**", text.rfind("**") - 1)) << "one, in bold";
  }
  ask_for(Decision::Action::optimise, "v002");
  const std::string text = compose().user;
  const std::size_t first = text.find("One ask: keep more bytes in flight");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("One ask:", first + 1), std::string::npos);
}

TEST_F(PromptFit, ARepairSaysWhatIsWrongAndNothingOfSpeed) {
  ask_for(Decision::Action::fix, "v009");
  const std::string text = compose().user;
  EXPECT_THAT(text, HasSubstr("Version v009 is not right: rung smoke failed."));
  EXPECT_THAT(text, Not(HasSubstr("One ask:")));
  EXPECT_THAT(text, Not(HasSubstr("latency: `big`")));
}

TEST_F(PromptFit, EveryKindOfBottleneckHasItsAsk) {
  for (const char* kind :
       {"traffic", "memory", "latency", "spills", "launch", "compute", "unknown"}) {
    history_.versions[1].bottleneck->kind = kind;
    EXPECT_THAT(compose().user, HasSubstr("One ask: ")) << kind;
  }
  history_.versions[1].bottleneck.reset();  // a history of an earlier release
  EXPECT_THAT(compose().user, HasSubstr("nothing that was measured says what limits it"));
}

// Two runs of the same version: every time is off by up to 0.3 %.
TEST_F(PromptFit, SamplesThatDifferByNoiseMakeTheSameBytes) {
  const auto prompt_with = [&](double noise) {
    Json workloads = Json::array();
    for (const double us : {18.4, 64.0, 83.0, 210.0}) {
      const double time = us * (1.0 + noise);
      workloads.push_back({{"name", fmt::format("n{}", us)},
                           {"axes", {{"n", 4096}}},
                           {"weight", 1.0},
                           {"median_us", time},
                           {"spread", 0.014 + noise},
                           {"sol_us", 0.55 * us},
                           {"sol", 0.55 * us / time},
                           {"bound", "memory"},
                           {"bytes", 2.7e8},
                           {"bytes_per_second", 3.3e12 * us / time}});
      noise = -noise;
    }
    VersionEvidence evidence;
    evidence.version = 2;
    evidence.compiled = {{"status", "compiled"}};
    evidence.verified = {{"status", "passed"}};
    evidence.measured = {{"status", "measured"},
                         {"workloads", workloads},
                         {"ceilings", {{"roofs", {{"copy", 4.3e12}}}}},
                         {"summary", {{"time_us", 22.0 * (1.0 + noise)}, {"sol", 0.55}}}};
    evidence.origin = {{"mode", "optimise"}};
    History history = history_;
    history.versions[1] = record_of(evidence, 2);
    return compose_prompt(config_, spec_, 10, history, feedback_text(history, {evidence}),
                          templates_)
        .user;
  };
  const std::string text = prompt_with(0.0);
  EXPECT_THAT(text, HasSubstr("83 µs"));
  for (const double noise : {-0.003, -0.001, 0.0005, 0.002, 0.003}) {
    EXPECT_EQ(prompt_with(noise), text) << noise;
  }
  EXPECT_NE(prompt_with(0.05), text);
}

}  // namespace
}  // namespace kernelloop
