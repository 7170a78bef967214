// Versions in other languages than CUDA C++: which one is asked for, how, and what is taken from an
// answer.
#include "propose/extract.hpp"
#include "propose/language_choice.hpp"
#include "propose/manual_provider.hpp"
#include "propose/prompt.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "languages/version_source.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

const Language& triton() { return language_named("TRITON"); }

class LanguageChoice : public testing::Test {
 protected:
  LanguageChoice() {
    config_.op = "scale";
    config_.generated_dir = root_.path() / "generated";
    config_.build_dir = root_.path() / "build";
    config_.device = "cuda";
    config_.architectures = {"90a"};
    config_.languages = {"CUDA", "TRITON"};
    config_.versions = 8;
    write(1, cuda_language());
    write(2, triton());
    spec_.name = "scale";
  }

  void write(int version, const Language& language) const {
    write_file_atomic(config_.version_dir(version) / language.source, "source\n");
  }

  static History after(int round, Decision::Action action, const std::string& parent) {
    History history;
    history.round = round;
    history.decision = {action, parent, ""};
    return history;
  }

  const Language& choose(int version, const std::optional<History>& history) const {
    return language_for(config_, version, history);
  }

  TemporaryDirectory root_;
  OpConfig config_;
  OpSpec spec_;
};

TEST_F(LanguageChoice, FirstRoundsTryEach) {
  EXPECT_TRUE(choose(1, std::nullopt).is_cuda());
  EXPECT_EQ(&choose(2, after(1, Decision::Action::optimise, "v001")), &triton());
  config_.candidates = 2;
  EXPECT_EQ(&choose(2, std::nullopt), &triton());
}

TEST_F(LanguageChoice, LaterOnesStayInThatOfTheirParent) {
  EXPECT_EQ(&choose(3, after(2, Decision::Action::optimise, "v002")), &triton());
  EXPECT_TRUE(choose(3, after(2, Decision::Action::fix, "v001")).is_cuda());
  EXPECT_TRUE(choose(3, after(2, Decision::Action::optimise, "v007")).is_cuda());
}

TEST_F(LanguageChoice, ABranchTakesTheNext) {
  EXPECT_TRUE(choose(3, after(2, Decision::Action::branch, "v002")).is_cuda());
  EXPECT_EQ(&choose(4, after(3, Decision::Action::branch, "v002")), &triton());
}

TEST_F(LanguageChoice, OneLanguageIsAlwaysThat) {
  config_.languages = {"TRITON"};
  EXPECT_EQ(&choose(1, std::nullopt), &triton());
  EXPECT_EQ(&choose(5, after(4, Decision::Action::branch, "v002")), &triton());
  config_.languages = {"TRITTON"};
  EXPECT_THROW(choose(1, std::nullopt), Error);
}

TEST_F(LanguageChoice, PromptsSpeakOfTheLanguage) {
  const Prompt cuda = compose_prompt(config_, spec_, 1, std::nullopt, "", Templates());
  EXPECT_THAT(cuda.system, HasSubstr("One file of CUDA C++ device code"));
  EXPECT_THAT(cuda.system, HasSubstr("begins with ```cuda"));
  config_.languages = {"TRITON"};
  const Prompt prompt = compose_prompt(config_, spec_, 1, std::nullopt, "", Templates());
  EXPECT_EQ(prompt.language, &triton());
  EXPECT_THAT(prompt.system, HasSubstr("@triton.jit"));
  EXPECT_THAT(prompt.system, HasSubstr("Expressions are texts over the axes"));
  EXPECT_THAT(prompt.system, HasSubstr("Every admissible shape must work"));
  EXPECT_THAT(prompt.system, HasSubstr("begins with ```python"));
  EXPECT_THAT(prompt.system, Not(HasSubstr("One file of CUDA C++")));
}

TEST_F(LanguageChoice, AnotherLanguageThanTheParentsIsAskedForAsOne) {
  History history = after(1, Decision::Action::optimise, "v001");
  VersionRecord first;
  first.version = "v001";
  first.outcome = Outcome::verified;
  first.time_us = 10.0;
  history.versions = {first};
  const Prompt prompt = compose_prompt(config_, spec_, 2, history, "", Templates());
  EXPECT_EQ(prompt.language, &triton());
  EXPECT_THAT(prompt.user, HasSubstr("Write a version of `scale` in Triton"));
  // The parent's source stands in a block of its own language.
  EXPECT_THAT(prompt.user, HasSubstr("```cuda\nsource\n```"));
}

TEST(LanguageAnswers, PythonIsTakenFromABlock) {
  const std::string source = "\"\"\"kernelloop:plan\n{}\n\"\"\"\nimport triton\n";
  const Extraction taken =
      extract_source("Summary: x\n```python\n" + source + "```\n", "end", triton());
  EXPECT_EQ(taken.problem, Extraction::Problem::none);
  EXPECT_EQ(taken.source, source);
  EXPECT_EQ(extract_source(source, "end", triton()).source, source);
  EXPECT_EQ(extract_source("```python\nimport triton\n```\n", "end", triton()).detail,
            "the code has no launch plan; the file must begin with a docstring "
            "\"\"\"kernelloop:plan { ... }\"\"\"");
  EXPECT_EQ(extract_source("```python\n" + source + "# ... rest of the kernel unchanged\n```\n",
                           "end", triton())
                .problem,
            Extraction::Problem::placeholder);
  EXPECT_THAT(extract_source("no code", "end", triton()).detail, HasSubstr("one ```python block"));
}

TEST(LanguageAnswers, SomebodyWritesTheFileOfTheLanguage) {
  const TemporaryDirectory root;
  ManualProvider provider(root.path(), triton());
  AskRequest request;
  request.op = "scale";
  request.version = 1;
  request.turns = {{Turn::Role::user, "please"}};
  try {
    provider.ask(request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::waiting);
    EXPECT_THAT(error.what(), HasSubstr("kernel.triton.py"));
  }
  write_file_atomic(root.path() / "kernel.triton.py", "import triton\n");
  EXPECT_EQ(provider.ask(request).answer->text, "```python\nimport triton\n```\n");
}

TEST(VersionSources, AreFoundByTheirNames) {
  const TemporaryDirectory root;
  EXPECT_FALSE(find_version_source(root.path()));
  EXPECT_EQ(version_source(root.path()), root.path() / "kernel.cu");
  write_file_atomic(root.path() / "kernel.triton.py", "");
  EXPECT_EQ(find_version_source(root.path())->language, &triton());
  EXPECT_EQ(version_source(root.path()), root.path() / "kernel.triton.py");
  EXPECT_EQ(language_of_source("/a/kernel.triton.py"), &triton());
  EXPECT_TRUE(language_of_source("kernel.cu")->is_cuda());
  EXPECT_EQ(language_of_source("/a/other.cu"), nullptr);
}

}  // namespace
}  // namespace kernelloop
