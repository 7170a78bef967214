#include "languages/language.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;

TEST(Languages, AreCudaAndTheAdapters) {
  const std::vector<Language>& all = all_languages();
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[0].name, "CUDA");
  EXPECT_TRUE(all[0].is_cuda());
  for (const Language& language : all) {
    EXPECT_EQ(&language_named(language.name), &language);
    EXPECT_FALSE(language.title.empty());
    EXPECT_FALSE(language.source.empty());
    EXPECT_FALSE(language.fence.empty());
    if (language.is_cuda()) continue;
    EXPECT_FALSE(language.requirements.empty()) << language.name;
    EXPECT_THAT(language.guide, HasSubstr("kernelloop:plan")) << language.name;
    EXPECT_EQ(language.plan_form(), PlanForm::compiled);
    EXPECT_THAT(language.example, testing::StartsWith("\"\"\"kernelloop:plan")) << language.name;
    const OpSpec spec = parse_op_spec(parse_json(language.example_op, "example_op"));
    const PlanResult plan =
        extract_plan(language.example, language.source, spec, language.plan_form());
    EXPECT_TRUE(plan.problems.empty()) << language.name << ": " << plan.problems.front().message;
  }
}

TEST(Languages, TritonIsDescribedByItsAdapter) {
  const Language& triton = language_named("TRITON");
  EXPECT_EQ(triton.source, "kernel.triton.py");
  EXPECT_EQ(triton.fence, "python");
  EXPECT_THAT(triton.guide, HasSubstr("\"\"\"kernelloop:plan"));
  EXPECT_THAT(triton.guide, testing::StartsWith("The source is one Python file"));
}

TEST(Languages, AnUnknownOneIsAnsweredWithTheKnown) {
  try {
    language_named("TRITTON");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("there is no kernel language 'TRITTON'"));
    EXPECT_THAT(error.what(), HasSubstr("TRITON"));
  }
}

TEST(Languages, AnAdapterMustDescribeItsLanguage) {
  EXPECT_THROW(language_of_adapter("import sys\n"), Error);
  EXPECT_THROW(language_of_adapter("\"\"\"no JSON\n\"\"\"\n"), Error);
  EXPECT_THROW(language_of_adapter("\"\"\"{\"name\": \"X\"}\n\"\"\"\n"), Error);
}

}  // namespace
}  // namespace kernelloop
