#include <gmock/gmock.h>

#include "plan_texts.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;

constexpr const char* k_launch =
    R"({"kernel": "k", "grid": [1], "block": [256], "args": ["y", "cols", "eps"]})";

std::vector<PlanProblem> problems_of(const std::string& source, const KernelTable& kernels) {
  return check_plan(plan_from(source), plan_spec(), kernels);
}

std::string problem_of(const std::string& source, const KernelTable& kernels) {
  return first_problem(problems_of(source, kernels));
}

// The problem of k_launch with a piece replaced, for a kernel that fits it.
std::string launch_problem(const std::string& from, const std::string& to,
                           KernelInfo info = kernel("k", {8, 4, 4})) {
  return problem_of(source_with(replaced(k_launch, from, to)), {std::move(info)});
}

TEST(CheckPlan, AcceptsWhatFits) {
  EXPECT_EQ(problem_of(k_valid_source, valid_kernels()), "no problem");
  EXPECT_EQ(problem_of(source_with(k_launch), {kernel("k", {8, 8, 4})}), "no problem");
}

TEST(HasOneDimension, NeitherBlocksNorThreadsMayHaveMore) {
  const auto with = [](const char* from, const char* to) {
    return has_one_dimension(plan_from(source_with(replaced(k_launch, from, to))));
  };
  EXPECT_TRUE(with("[1]", "[\"rows\"]"));
  EXPECT_TRUE(with("[1]", "[\"rows\", 1, \"2 - 1\"]"));
  EXPECT_FALSE(with("[1]", "[\"rows\", 2]"));
  EXPECT_FALSE(with("[1]", "[1, 1, \"cols\"]"));
  EXPECT_FALSE(with("[256]", "[32, 4]"));
  EXPECT_FALSE(has_one_dimension(plan_from(k_valid_source)));  // the second of three launches
}

TEST(CheckPlan, MissingKernels) {
  KernelTable kernels = valid_kernels();
  kernels[0].name = "norm_row";
  EXPECT_EQ(problem_of(k_valid_source, kernels),
            "5: there is no kernel `norm_rows`; did you mean `norm_row`?");
  kernels[0].name = "_Z9norm_rowsPK13__nv_bfloat16";
  EXPECT_EQ(problem_of(k_valid_source, kernels),
            "5: kernel `norm_rows` is compiled under the C++ name `_Z9norm_rowsPK13__nv_bfloat16`; "
            "declare it extern \"C\"");
  kernels[0].name = "other";
  EXPECT_EQ(problem_of(k_valid_source, kernels),
            "5: there is no kernel `norm_rows`; known are `other`, `norm_partial`, `norm_finish`");
  EXPECT_EQ(problems_of(k_valid_source, {}).size(), 3U);
  EXPECT_THAT(problem_of(k_valid_source, {}), HasSubstr("the source defines none"));
}

TEST(CheckPlan, CountOfParameters) {
  EXPECT_EQ(problem_of(source_with(k_launch), {kernel("k", {8, 4, 4, 4})}),
            "2: kernel `k` takes 4 parameters, the plan passes 3; make `args` match the kernel's "
            "parameter list");
  EXPECT_THAT(problem_of(source_with(k_launch), {kernel("k", {8})}),
              HasSubstr("takes 1 parameter, the plan passes 3"));
}

TEST(CheckPlan, SizeOfParameters) {
  EXPECT_EQ(problem_of(source_with(k_launch), {kernel("k", {8, 1, 4})}),
            "2: argument 1 (`cols`) of kernel `k`, counted from 0, is an integer of 4 or 8 bytes, "
            "the parameter has 1; declare it int or long long");
  EXPECT_EQ(problem_of(source_with(k_launch), {kernel("k", {4, 4, 4})}),
            "2: argument 0 (`y`) of kernel `k`, counted from 0, is a pointer of 8 bytes, the "
            "parameter has 4; declare it as a pointer");
  EXPECT_EQ(problem_of(source_with(k_launch), {kernel("k", {8, 4, 8})}),
            "2: argument 2 (`eps`) of kernel `k`, counted from 0, is a float32 of 4 bytes, the "
            "parameter has 8; declare it float");
  EXPECT_EQ(problems_of(source_with(k_launch), {kernel("k", {4, 2, 8})}).size(), 3U);
  EXPECT_THAT(
      problem_of(source_with(replaced(k_launch, "\"cols\"", "{\"workspace_offset\": 8}"), "64"),
                 {kernel("k", {8, 4, 4})}),
      HasSubstr("argument 1 (`workspace + 8`) of kernel `k`, counted from 0, is a pointer"));
}

TEST(CheckPlan, Blocks) {
  EXPECT_EQ(launch_problem("[256]", "[2048]"),
            "2: launch of `k`: block[0] is 2048, the limit is 1024; use a smaller block");
  EXPECT_EQ(launch_problem("[256]", "[64, 32]"),
            "2: launch of `k`: the block has 2048 threads, the device allows 1024; use a smaller "
            "block");
  EXPECT_EQ(launch_problem("[256]", "[1, 1, 65]"),
            "2: launch of `k`: block[2] is 65, the limit is 64; use a smaller block");
  EXPECT_EQ(launch_problem("[256]", "[0]"),
            "2: launch of `k`: block[0] is 0; it must be at least 1");
  EXPECT_EQ(launch_problem("[256]", "[\"16 - 32\"]"),
            "2: launch of `k`: block[0] is -16 (`16 - 32`); it must be at least 1");
  KernelInfo bounded = kernel("k", {8, 4, 4});
  bounded.max_threads_per_block = 128;
  EXPECT_EQ(launch_problem("[256]", "[256]", bounded),
            "2: launch of `k`: the block has 256 threads, kernel `k` is compiled for at most 128; "
            "use a smaller block or raise its __launch_bounds__");
  KernelInfo required = kernel("k", {8, 4, 4});
  required.required_block = {128, 2, 1};
  EXPECT_EQ(launch_problem("[256]", "[256, 2]", required),
            "2: launch of `k`: block[0] is 256, kernel `k` requires a block of 128 x 2 x 1; use "
            "just that");
  EXPECT_EQ(launch_problem("[256]", "[128, 2]", required), "no problem");
}

TEST(CheckPlan, GridsAndClusters) {
  EXPECT_THAT(launch_problem("\"grid\": [1]", "\"grid\": [1, 65536]"),
              HasSubstr("grid[1] is 65536, the limit is 65535; use a grid-stride loop"));
  EXPECT_THAT(launch_problem("\"grid\": [1]", "\"grid\": [0]"),
              HasSubstr("grid[0] is 0; it must be at least 1"));
  EXPECT_THAT(launch_problem("\"grid\": [1]", "\"grid\": [32], \"cluster\": [16]"),
              HasSubstr("cluster[0] is 16, the limit is 8"));
  EXPECT_THAT(launch_problem("\"grid\": [1]", "\"grid\": [32, 4], \"cluster\": [4, 4]"),
              HasSubstr("the cluster has 16 blocks, the limit is 8"));
  EXPECT_THAT(launch_problem("\"grid\": [1]", "\"grid\": [30], \"cluster\": [4]"),
              HasSubstr("grid[0] is 30, which is no multiple of cluster[0] = 4; round it up"));
  EXPECT_EQ(launch_problem("\"grid\": [1]", "\"grid\": [32, 2], \"cluster\": [4, 2]"),
            "no problem");
}

TEST(CheckPlan, SharedMemory) {
  KernelInfo large = kernel("k", {8, 4, 4});
  large.static_shared_bytes = 49153;
  EXPECT_THAT(
      launch_problem("[256]", "[256]", large),
      HasSubstr("has 49153 bytes of static shared memory, the limit is 49152; use dynamic"));
  EXPECT_THAT(
      launch_problem("\"grid\"", "\"dynamic_shared_bytes\": 300000, \"grid\""),
      HasSubstr("dynamic_shared_bytes is 300000 beside 0 bytes of static shared memory, the "
                "device allows 232448 in all"));
  EXPECT_THAT(launch_problem("\"grid\"", "\"dynamic_shared_bytes\": \"-4\", \"grid\""),
              HasSubstr("dynamic_shared_bytes is -4; it must not be negative"));
}

TEST(CheckPlan, WhatDependsOnTheShapeIsLeftToResolving) {
  EXPECT_EQ(launch_problem("[256]", "[\"cols * 1000\"]"), "no problem");
  EXPECT_EQ(launch_problem("[256]", "[\"1 / 0\"]"), "no problem");
}

}  // namespace
}  // namespace kernelloop
