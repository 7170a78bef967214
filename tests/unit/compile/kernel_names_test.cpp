#include "compile/kernel_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

KernelTable table(const std::string& name) {
  KernelInfo kernel;
  kernel.name = name;
  return {kernel};
}

LaunchPlan plan_of(const std::string& kernel) {
  LaunchPlan plan;
  plan.launches.emplace_back().kernel = kernel;
  return plan;
}

std::size_t line_seven(const std::string&) { return 7; }

TEST(KernelNames, LeavesPlainNamesAlone) {
  const LaunchPlan plan = plan_of("k");
  const NamedKernels named = name_kernels(table("k"), &plan, line_seven);
  EXPECT_EQ(named.table[0].name, "k");
  EXPECT_THAT(named.problems, IsEmpty());
}

TEST(KernelNames, TellsToUseExternC) {
  for (const char* mangled : {"_Z1kPfi", "_Z1kIfEvPT_", "_ZN2ns1kEPf"}) {
    const LaunchPlan plan = plan_of("k");
    const NamedKernels named = name_kernels(table(mangled), &plan, line_seven);
    EXPECT_EQ(named.table[0].name, "k") << mangled;
    ASSERT_EQ(named.problems.size(), 1u) << mangled;
    EXPECT_EQ(named.problems[0].severity, Problem::Severity::error);
    EXPECT_EQ(named.problems[0].kind, Problem::Kind::plan);
    EXPECT_EQ(named.problems[0].line, 7u);
    EXPECT_THAT(named.problems[0].message, HasSubstr("declare it extern \"C\" __global__"));
  }
}

TEST(KernelNames, OnlyWarnsOfAMangledKernelThatThePlanLeavesOut) {
  const LaunchPlan plan = plan_of("other");
  for (const LaunchPlan* one : {&plan, static_cast<const LaunchPlan*>(nullptr)}) {
    const NamedKernels named = name_kernels(table("_Z1kPfi"), one, line_seven);
    ASSERT_EQ(named.problems.size(), 1u);
    EXPECT_EQ(named.problems[0].severity, Problem::Severity::warning);
    EXPECT_THAT(named.problems[0].message, HasSubstr("k(float*, int) is not declared extern"));
    EXPECT_EQ(named.table[0].name, "_Z1kPfi");
  }
}

TEST(KernelNames, TakesAMangledNameInThePlan) {
  const LaunchPlan plan = plan_of("_Z1kPfi");
  EXPECT_THAT(name_kernels(table("_Z1kPfi"), &plan, line_seven).problems, IsEmpty());
}

}  // namespace
}  // namespace kernelloop
