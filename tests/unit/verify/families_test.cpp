// Which families there are, and which of them an input takes.
#include "verify/families.hpp"

#include "support/files.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "family_samples.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace kernelloop {
namespace {

using samples::Values;
using testing::Each;

TEST(Families, TheSchemaKnowsThemAll) {
  const Json schema = read_json(KERNELLOOP_TEST_OPS "/../schemas/op.schema.json").value;
  const Json& names = schema.at("definitions")
                          .at("input")
                          .at("properties")
                          .at("values")
                          .at("properties")
                          .at("families")
                          .at("items")
                          .at("enum");
  std::vector<std::string> floats;
  for (const InputFamily& each : input_families()) {
    if (each.where != InputFamily::Where::integers) floats.emplace_back(each.name);
  }
  EXPECT_EQ(names.get<std::vector<std::string>>(), floats);
}

TEST(Families, ThePageDescribesThemAll) {
  const std::string page = read_file(KERNELLOOP_TEST_OPS "/../docs/verification.md");
  for (const InputFamily& each : input_families()) {
    EXPECT_THAT(page, testing::HasSubstr(
                          fmt::format("| `{}` | {} | {} |", each.name, each.draws, each.finds)));
  }
}

TEST(Families, IntegersGoToTheirEnds) {
  const OpSpec spec = spec_with("bfloat16");
  EXPECT_THAT(drawn(spec, "lowest", "i"), Each(0.0));
  EXPECT_THAT(drawn(spec, "highest", "i"), Each(39.0));
  const Values ends = drawn(spec, "ends", "i", 200);
  EXPECT_EQ(std::set<double>(ends.begin(), ends.end()), (std::set<double>{-100.0, 0.0, 39.0}));
  // With what might be taken for the special value, where it is an index.
  const Values more = samples::draw(spec, "i", {{"rows", 40}, {"cols", 1000}}, &family("ends"), 7);
  EXPECT_EQ(std::set<double>(more.begin(), more.end()),
            (std::set<double>{-100.0, 0.0, 100.0, 156.0, 999.0}));
  EXPECT_FALSE(applies(family("lowest"), samples::softmax()));
}

TEST(Families, AnInputTakesOnlyThoseThatItsSpecNames) {
  const OpSpec spec = spec_with("bfloat16", R"("family": "normal", "families": ["ties"])");
  EXPECT_TRUE(draws_input(family("ties"), *spec.find_tensor("x")));
  EXPECT_FALSE(draws_input(family("large"), *spec.find_tensor("x")));
  EXPECT_TRUE(applies(family("large"), spec));    // of w
  EXPECT_TRUE(applies(family("one_hot"), spec));  // the same
}

TEST(Families, ExactIntegersSumUpWithoutRounding) {
  const OpSpec spec = spec_with("bfloat16");
  for (const std::int64_t cols : {8, 400, 100000}) {
    const Values values =
        samples::draw(spec, "x", {{"rows", 3}, {"cols", cols}}, &exact_integers(), 3);
    EXPECT_TRUE(std::all_of(values.begin(), values.end(),
                            [](double value) { return value == std::floor(value); }));
    EXPECT_GE(largest(values), 1.0);
    double product = 0.0;
    for (std::int64_t i = 0; i < cols; ++i) {
      product += values[static_cast<std::size_t>(i)] * values[static_cast<std::size_t>(cols + i)];
    }
    EXPECT_LE(std::fabs(product), 256.0);
  }
}

TEST(Families, OnlyTheSpecsOwnSymmetricValuesHaveRandomSigns) {
  EXPECT_TRUE(traits_of(nullptr, samples::softmax()).random_signs);
  EXPECT_TRUE(traits_of(&family("large"), samples::softmax()).random_signs);
  EXPECT_FALSE(traits_of(&family("shifted"), samples::softmax()).random_signs);
  EXPECT_FALSE(traits_of(nullptr, samples::rmsnorm()).random_signs);  // the weight's mean is 1
}

TEST(Families, ThoseOfOneInputTakeTheirTurnAtEach) {
  const OpSpec spec = spec_with("bfloat16");
  std::vector<std::string> of_nan;
  for (const FamilyChoice& choice : family_choices(spec)) {
    if (choice.family->name == "nan") of_nan.push_back(choice.input);
    if (choice.family->name == "large") {
      EXPECT_EQ(choice.input, "");
    }
  }
  EXPECT_THAT(of_nan, testing::ElementsAre("x", "w"));
}

}  // namespace
}  // namespace kernelloop
