// Thousands of damaged sources: each has a plan or problems, and none crashes or hangs.
#include "plan_texts.hpp"

#include <random>

namespace kernelloop {
namespace {

std::string mutated(std::string text, std::mt19937& random) {
  const auto pick = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  for (std::size_t edits = 1 + pick(3); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = pick(text.size());
    switch (pick(5)) {
      case 0:
        text[at] = static_cast<char>(pick(256));
        break;
      case 1:
        text.erase(at, 1 + pick(12));
        break;
      case 2:
        text.insert(at, text.substr(pick(text.size()), 1 + pick(30)));
        break;
      case 3:
        text.insert(at, std::string(1 + pick(40), "{[(\"-9,:*/"[pick(10)]));
        break;
      default:
        std::swap(text[at], text[pick(text.size())]);
    }
  }
  return text;
}

TEST(PlanMutation, NeitherCrashesNorHangs) {
  const OpSpec spec = plan_spec();
  const KernelTable kernels = valid_kernels();
  std::mt19937 random(12);
  int refused = 0;
  constexpr int k_tries = 2500;
  for (int i = 0; i < k_tries; ++i) {
    const std::string source = mutated(k_valid_source, random);
    try {
      const PlanResult result = extract_plan(source, "kernel.cu", spec);
      ASSERT_EQ(result.plan.has_value(), result.problems.empty()) << source;
      if (!result.plan) {
        ++refused;
        for (const PlanProblem& problem : result.problems) {
          EXPECT_FALSE(problem.message.empty()) << source;
          EXPECT_GT(problem.line, 0U) << problem.message << "\n" << source;
        }
        continue;
      }
      check_plan(*result.plan, spec, kernels);
      for (const std::int64_t cols : {1, 8193}) {
        resolve_plan(*result.plan, spec, kernels, {{"rows", 3}, {"cols", cols}},
                     {{"eps", 0.5}, {"shift", 2.0}}, {});
      }
      ASSERT_EQ(plan_to_json(plan_from_json(plan_to_json(*result.plan), spec)),
                plan_to_json(*result.plan));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n" << source;
    }
  }
  EXPECT_GT(refused, k_tries / 2);
  EXPECT_LT(refused, k_tries);
}

}  // namespace
}  // namespace kernelloop
