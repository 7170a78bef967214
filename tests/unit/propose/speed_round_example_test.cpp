// docs/prompts.md shows what the program makes of a measurement of softmax. data/softmax_v006.json
// is the evidence of that version without its verification; new evidence does not change the page.
#include "loop/feedback.hpp"
#include "propose/prompt.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SpeedRoundExample : public testing::Test {
 protected:
  SpeedRoundExample() {
    config_.op = "softmax";
    config_.generated_dir = root_ / "generated";
    config_.reference_source = root_ / "references/softmax.cpp";
    config_.device = "cuda";
    config_.architectures = {"90a"};

    const Json report = read_json(root_ / "tests/unit/propose/data/softmax_v006.json").value;
    evidence_.version = 6;
    evidence_.proposed = {{"status", "ready"}};
    evidence_.compiled = report.at("compile");
    evidence_.compiled["status"] = "compiled";
    evidence_.verified = report.at("verify");
    evidence_.measured = report.at("bench");
    evidence_.origin = read_json(config_.version_dir(6) / "origin.json").value;

    history_.op = config_.op;
    history_.round = 6;
    history_.device_kind = "cuda";
    history_.device_name = report.at("device").at("name");
    history_.versions = {record_of(evidence_, 6)};
    history_.decision = {Decision::Action::optimise, "v006", "make v006 faster"};
  }

  Prompt prompt() const {
    const OpSpec spec = load_op_spec(root_ / "ops/softmax/op.json");
    return compose_prompt(config_, spec, 7, history_, feedback_text(history_, {evidence_}),
                          Templates());
  }

  const fs::path root_ = PROJECT_DIR;
  OpConfig config_;
  VersionEvidence evidence_;
  History history_;
};

TEST_F(SpeedRoundExample, StandsInTheDocumentationAsItIsMade) {
  const Prompt made = prompt();
  const std::string shown = made.user.substr(made.user.find("# What was measured"));
  const std::string page = read_file(root_ / "docs/prompts.md");
  EXPECT_THAT(page, HasSubstr("\n````\n" + shown + "````\n"))
      << "put this at the end of docs/prompts.md:\n"
      << shown;

  const Json& parts = made.record["parts"];
  const auto tokens = parts["feedback"].get<std::int64_t>() + parts["ask"].get<std::int64_t>();
  EXPECT_LE(tokens, 2500);
  EXPECT_THAT(page, HasSubstr(fmt::format("{} tokens by estimate", tokens)));
}

// What an expert would ask first.
TEST_F(SpeedRoundExample, HoldsTheFactsThatCountFirst) {
  const std::string text = prompt().user;
  for (const char* fact :
       {"NVIDIA H200", "| 1024x65536 (cols=65536, rows=1024) | 83 µs | under 2 % | 3250 | 75 % |",
        "`softmax_wide`: 64 registers, 128 B static shared memory, 0 B spill stores",
        "Best so far: v006 with 51 µs, 91 % of the roofline",
        "latency: `1024x65536` keeps device memory busy to 75 % only",
        "of the 4300 GB/s that a copy was measured to reach",
        "One ask: keep more bytes in flight"}) {
    EXPECT_THAT(text, HasSubstr(fact));
  }
}

}  // namespace
}  // namespace kernelloop
