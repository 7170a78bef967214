#include "propose/prompt.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

class PromptTest : public testing::Test {
 protected:
  PromptTest() {
    config_.op = "scale";
    config_.generated_dir = root_.path() / "generated";
    config_.build_dir = root_.path() / "build";
    config_.reference_source = root_.path() / "scale.cpp";
    config_.hints = root_.path() / "hints.md";
    config_.device = "cuda";
    config_.architectures = {"90a"};
    write_file_atomic(config_.reference_source, "double {{op}} reference;\n");
    write_file_atomic(config_.hints, "Rows are short.\n");
    spec_.name = "scale";
    spec_.description = "y = a x";
    spec_.axes = {{"n", Axis::Kind::variable, 0, {}, "elements"}};
    Tensor x;
    x.name = "x";
    x.shape = {"n"};
    x.dtype = DType::bfloat16;
    spec_.inputs = {x};
    spec_.workloads = {{"big", {{"n", 4096}}, {}, 2.0, {}}};
    spec_.ladder.holdout = {{{"n", 987654}}};
    spec_.ladder.shapes = {{"shapes", {{{"n", 876543}}}}};
  }

  History history(Decision decision) const {
    History result;
    result.op = "scale";
    result.device_kind = "cuda";
    result.round = 2;
    VersionRecord first;
    first.version = "v001";
    first.mode = "seed";
    first.outcome = Outcome::verified;
    first.time_us = 12.3456;
    first.sol = 0.456;
    first.change = "one | block\nper row";
    VersionRecord second;
    second.version = "v002";
    second.mode = "optimise";
    second.parent = "v001";
    second.outcome = Outcome::wrong;
    second.failure = "tail is wrong";
    result.versions = {first, second};
    result.decision = std::move(decision);
    write_file_atomic(config_.version_dir(1) / "kernel.cu", "first source\n");
    write_file_atomic(config_.version_dir(2) / "kernel.cu", "second ``` source\n");
    return result;
  }

  Prompt compose(const std::optional<History>& past, const std::string& feedback = "") {
    return compose_prompt(config_, spec_, 3, past, feedback, templates_);
  }

  TemporaryDirectory root_;
  OpConfig config_;
  OpSpec spec_;
  Templates templates_;
};

TEST_F(PromptTest, ASeedHasContractOpReferenceHintsAndDevice) {
  const Prompt prompt = compose(std::nullopt);
  EXPECT_EQ(prompt.mode, "seed");
  EXPECT_THAT(prompt.system, HasSubstr("/* kernelloop:plan"));
  for (const char* part :
       {"`scale`: y = a x", "bfloat16 [n] (`__nv_bfloat16` from cuda_bf16.h)", "big: n=4096",
        "double {{op}} reference;", "Rows are short.", "Hopper", "first version"}) {
    EXPECT_THAT(prompt.user, HasSubstr(part));
  }
}

TEST_F(PromptTest, HidesTheShapesOfTheLadder) {
  const Prompt prompt = compose(std::nullopt);
  EXPECT_THAT(prompt.system + prompt.user, Not(HasSubstr("987654")));
  EXPECT_THAT(prompt.system + prompt.user, Not(HasSubstr("876543")));
}

TEST_F(PromptTest, AFixShowsTheWrongVersionAndTheBestOne) {
  const Prompt prompt =
      compose(history({Decision::Action::fix, "v002", "wrong"}), "# What was measured\nx\n");
  EXPECT_EQ(prompt.mode, "fix");
  EXPECT_EQ(prompt.parent, "v002");
  for (const char* part : {"````cuda\nsecond ``` source", "first source", "tail is wrong",
                           "right, 12.4 us, 46 % of the roofline", "| one   block per row |",
                           "# What was measured", "Version v002 is not right"}) {
    EXPECT_THAT(prompt.user, HasSubstr(part));
  }
}

TEST_F(PromptTest, ALongNoteIsCutAndOlderOnesAreLeftOut) {
  const auto past = history({Decision::Action::optimise, "v001", "go on"});
  write_file_atomic(config_.version_dir(1) / "feedback.md", "old note\n");
  write_file_atomic(config_.version_dir(2) / "feedback.md", "begin " + std::string(9000, '.'));
  const std::string text = compose(past).user;
  EXPECT_THAT(text, HasSubstr("begin ..."));
  EXPECT_THAT(text, HasSubstr("(The rest of this note is left out.)"));
  EXPECT_THAT(text, HasSubstr("(Older notes are left out.)"));
  EXPECT_THAT(text, Not(HasSubstr("old note")));
  EXPECT_LT(text.size(), compose(std::nullopt).user.size() + 9000);
}

TEST_F(PromptTest, TheSystemTextNeverChangesWithinALoop) {
  EXPECT_EQ(compose(std::nullopt).system,
            compose(history({Decision::Action::optimise, "v001", ""})).system);
}

TEST_F(PromptTest, NoiseDoesNotChangeIt) {
  History past = history({Decision::Action::optimise, "v001", ""});
  const std::string before = compose(past).user;
  past.versions[0].time_us = 12.3421;
  past.versions[0].sol = 0.4561;
  EXPECT_EQ(compose(past).user, before);
}

TEST_F(PromptTest, TimesOfTheCpuDeviceAreCalledSo) {
  config_.device = "cpu";
  History past = history({Decision::Action::optimise, "v001", ""});
  past.device_kind = "cpu";
  past.versions[0].sol.reset();
  EXPECT_THAT(compose(past).user, HasSubstr("12 us wall time on the CPU emulation"));
}

TEST_F(PromptTest, OnTheCpuDeviceOnlyCudaIsSaidToRun) {
  config_.device = "cpu";
  EXPECT_THAT(compose(std::nullopt).user, HasSubstr("it runs on an emulation on the CPU"));
  config_.languages = {"TRITON"};
  const std::string asked = compose(std::nullopt).user;
  EXPECT_THAT(asked, HasSubstr("it\nis neither run nor timed"));
  EXPECT_THAT(asked, Not(HasSubstr("emulation")));
}

TEST_F(PromptTest, LanesOfARoundAskForDifferentIdeas) {
  EXPECT_THAT(compose(std::nullopt).user, Not(HasSubstr("independently")));
  config_.candidates = 4;
  EXPECT_THAT(compose(std::nullopt).user, HasSubstr("yours is number 3"));
}

TEST_F(PromptTest, TemplatesCanBeReplaced) {
  const std::filesystem::path own = root_.path() / "prompts";
  write_file_atomic(own / "ask_seed.md", "Write {{op}} my way.");
  templates_ = Templates(own);
  EXPECT_THAT(compose(std::nullopt).user, HasSubstr("Write scale my way."));
  write_file_atomic(own / "ask_seed.md", "Write {{operator}}.");
  try {
    compose(std::nullopt);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ask_seed.md: unknown placeholder {{operator}}"));
    EXPECT_THAT(error.what(), HasSubstr("op, parent"));
  }
  EXPECT_THROW(Templates(root_.path() / "missing"), Error);
}

TEST_F(PromptTest, ATemplateThatNobodyReadsIsAMistake) {
  const std::filesystem::path own = root_.path() / "prompts";
  for (const char* name : {"README.md", "device_120.md", "language_triton.md", "notes.txt"}) {
    write_file_atomic(own / name, "text");
  }
  EXPECT_NO_THROW(Templates{own});
  write_file_atomic(own / "ask_optimize.md", "text");
  try {
    Templates{own};
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ask_optimize.md: no prompt template is called"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean `ask_optimise`?"));
  }
}

TEST_F(PromptTest, CompilerProblemsAreShownWithTheirLines) {
  const Json problems = Json::array(
      {{{"severity", "warning"}, {"message", "unused"}},
       {{"severity", "error"}, {"message", "no"}, {"line", 7}, {"source_line", "int a = no;"}}});
  const std::string text = compile_feedback(problems, templates_);
  EXPECT_THAT(text, HasSubstr("- line 7: no\n      int a = no;\n"));
  EXPECT_THAT(text, Not(HasSubstr("unused")));
}

}  // namespace
}  // namespace kernelloop
