#include "support/error.hpp"

#include <gmock/gmock.h>

#include "plan_texts.hpp"

#include <cstring>

namespace kernelloop {
namespace {

using testing::HasSubstr;

const std::map<std::string, double> k_scalars{{"eps", 1e-6}, {"shift", 1.5}};

ResolveResult resolve(const std::string& source, const Bindings& axes,
                      const KernelTable& kernels = valid_kernels(),
                      const LaunchLimits& limits = {}) {
  return resolve_plan(plan_from(source), plan_spec(), kernels, axes, k_scalars, limits);
}

template <typename T>
T value_of(const ResolvedArgument& argument) {
  EXPECT_EQ(argument.kind, ResolvedArgument::Kind::bytes);
  EXPECT_EQ(argument.bytes.size(), sizeof(T));
  T value{};
  std::memcpy(&value, argument.bytes.data(), std::min(sizeof value, argument.bytes.size()));
  return value;
}

std::string problem_of(const std::string& source, const Bindings& axes,
                       const KernelTable& kernels = valid_kernels(),
                       const LaunchLimits& limits = {}) {
  const ResolveResult result = resolve(source, axes, kernels, limits);
  EXPECT_EQ(result.plan.has_value(), result.problems.empty());
  return first_problem(result.problems);
}

// A plan of one launch of kernel k(y, n) with a piece replaced.
std::string launch_problem(const std::string& from, const std::string& to, const Bindings& axes,
                           KernelInfo info = kernel("k", {8, 4}), const LaunchLimits& limits = {}) {
  const std::string launch = R"({"kernel": "k", "grid": ["rows"], "block": ["cols"],
"dynamic_shared_bytes": "cols * 4", "args": ["y", "cols"]})";
  return problem_of(source_with(replaced(launch, from, to), "rows"), axes, {std::move(info)},
                    limits);
}

TEST(ResolvePlan, ChoosesByShape) {
  const ResolveResult small = resolve(k_valid_source, {{"rows", 3}, {"cols", 100}});
  ASSERT_TRUE(small.plan) << first_problem(small.problems);
  EXPECT_EQ(small.plan->workspace_bytes, 48);
  ASSERT_EQ(small.plan->launches.size(), 1U);
  const ResolvedLaunch& rows = small.plan->launches[0];
  EXPECT_EQ(rows.kernel, "norm_rows");
  EXPECT_THAT(rows.grid, testing::ElementsAre(3, 1, 1));
  EXPECT_THAT(rows.block, testing::ElementsAre(256, 1, 1));
  EXPECT_EQ(rows.dynamic_shared_bytes, 400);
  EXPECT_FALSE(rows.has_cluster);
  ASSERT_EQ(rows.arguments.size(), 4U);
  EXPECT_EQ(rows.arguments[0].kind, ResolvedArgument::Kind::tensor);
  EXPECT_EQ(rows.arguments[0].tensor, "x");
  EXPECT_EQ(value_of<float>(rows.arguments[2]), 1e-6F);
  EXPECT_EQ(value_of<std::int32_t>(rows.arguments[3]), 100);
}

TEST(ResolvePlan, LaunchesInOrderWithTheirAttributes) {
  const ResolveResult large = resolve(k_valid_source, {{"rows", 5}, {"cols", 10000}});
  ASSERT_TRUE(large.plan) << first_problem(large.problems);
  ASSERT_EQ(large.plan->launches.size(), 2U);
  const ResolvedLaunch& partial = large.plan->launches[0];
  EXPECT_TRUE(partial.has_cluster);
  EXPECT_THAT(partial.cluster, testing::ElementsAre(1, 4, 1));
  EXPECT_THAT(partial.block, testing::ElementsAre(512, 1, 1));
  EXPECT_EQ(partial.arguments[1].kind, ResolvedArgument::Kind::workspace);
  EXPECT_EQ(partial.arguments[1].offset, 0);
  EXPECT_EQ(value_of<std::int64_t>(partial.arguments[2]), 50000);
  const ResolvedLaunch& finish = large.plan->launches[1];
  EXPECT_TRUE(finish.cooperative);
  EXPECT_TRUE(finish.programmatic_dependent);
  EXPECT_EQ(finish.arguments[1].offset, 40);
  EXPECT_EQ(value_of<std::uint16_t>(finish.arguments[2]), 0x3FC0);  // bfloat16 1.5
}

TEST(ResolvePlan, NoLaunchSelected) {
  EXPECT_EQ(launch_problem("\"kernel\"", "\"when\": \"cols > 5\", \"kernel\"",
                           {{"rows", 1}, {"cols", 5}}),
            "0: for cols=5, rows=1: no launch is selected, every `when` is 0; add one without "
            "`when`, or widen one");
}

TEST(ResolvePlan, TheSelectedLaunchesWriteEveryOutput) {
  EXPECT_EQ(
      problem_of(replaced(k_valid_source, "\"when\": \"cols > 8192\", \"kernel\": \"norm_finish\"",
                          "\"when\": \"cols > 20000\", \"kernel\": \"norm_finish\""),
                 {{"rows", 1}, {"cols", 10000}}),
      "0: for cols=10000, rows=1: no selected launch takes the output `y`, so nothing writes "
      "it; see the `when` conditions");
}

TEST(ResolvePlan, GridAndBlock) {
  EXPECT_EQ(launch_problem("\"rows\"", "\"rows / 8\"", {{"rows", 7}, {"cols", 32}}),
            "2: for cols=32, rows=7: launch of `k`: grid[0] is 0 (`rows / 8`); it must be at least "
            "1");
  EXPECT_THAT(launch_problem("\"rows\"", "\"rows - 8\"", {{"rows", 7}, {"cols", 32}}),
              HasSubstr("grid[0] is -1 (`rows - 8`)"));
  EXPECT_THAT(launch_problem("[\"rows\"]", "[1, \"rows\"]", {{"rows", 65536}, {"cols", 32}}),
              HasSubstr("grid[1] is 65536 (`rows`), the limit is 65535; use a grid-stride loop or "
                        "put the large dimension into grid[0]"));
  EXPECT_THAT(launch_problem("\"rows\"", "\"rows * 4294967296\"", {{"rows", 7}, {"cols", 32}}),
              HasSubstr("the limit is 2147483647"));
  EXPECT_THAT(
      launch_problem("\"rows\"", "\"rows * 9223372036854775807\"", {{"rows", 7}, {"cols", 32}}),
      HasSubstr("grid[0]: in \"rows * 9223372036854775807\", offset 5: the value does not fit"));
  EXPECT_THAT(launch_problem("\"rows\"", "\"rows\"", {{"rows", 1}, {"cols", 1025}}),
              HasSubstr("block[0] is 1025 (`cols`), the limit is 1024"));
  EXPECT_THAT(launch_problem("[\"cols\"]", "[\"cols\", \"rows\"]", {{"rows", 2}, {"cols", 1000}}),
              HasSubstr("the block has 2000 threads, the device allows 1024"));
  LaunchLimits limits;
  limits.max_threads_per_block = 512;
  EXPECT_THAT(launch_problem("\"rows\"", "\"rows\"", {{"rows", 1}, {"cols", 1000}},
                             kernel("k", {8, 4}), limits),
              HasSubstr("the block has 1000 threads, the device allows 512"));
  KernelInfo required = kernel("k", {8, 4});
  required.required_block = {64, 1, 1};
  EXPECT_THAT(launch_problem("\"rows\"", "\"rows\"", {{"rows", 1}, {"cols", 65}}, required),
              HasSubstr("block[0] is 65 (`cols`), kernel `k` requires a block of 64 x 1 x 1"));
}

TEST(ResolvePlan, SharedMemory) {
  KernelInfo info = kernel("k", {8, 4});
  info.static_shared_bytes = 1000;
  LaunchLimits limits;
  limits.max_shared_bytes = 4096;
  EXPECT_EQ(launch_problem("\"rows\"", "\"rows\"", {{"rows", 1}, {"cols", 774}}, info, limits),
            "no problem");
  EXPECT_EQ(
      launch_problem("\"rows\"", "\"rows\"", {{"rows", 1}, {"cols", 775}}, info, limits),
      "2: for cols=775, rows=1: launch of `k`: dynamic_shared_bytes is 3100 (`cols * 4`) "
      "beside 1000 bytes of static shared memory, the device allows 4096 in all; use less, or "
      "another launch for such shapes (`when`)");
  EXPECT_THAT(launch_problem("cols * 4", "cols - 64", {{"rows", 1}, {"cols", 8}}),
              HasSubstr("dynamic_shared_bytes is -56 (`cols - 64`); it must not be negative"));
}

TEST(ResolvePlan, IntegersThatDoNotFit) {
  const Bindings axes{{"rows", 4}, {"cols", 1000}};
  EXPECT_EQ(launch_problem("\"y\", \"cols\"", "\"y\", \"cols * 5000000\"", axes),
            "2: for cols=1000, rows=4: launch of `k`: value 5000000000 of argument 1 (`cols * "
            "5000000`) does not fit the 4-byte parameter; declare it long long");
  EXPECT_EQ(
      launch_problem("\"y\", \"cols\"", "\"y\", \"cols * 5000000\"", axes, kernel("k", {8, 8})),
      "no problem");
  EXPECT_EQ(launch_problem("\"y\", \"cols\"", "\"y\", \"-2147483648\"", axes), "no problem");
  EXPECT_THAT(launch_problem("\"y\", \"cols\"", "\"y\", \"-2147483649\"", axes),
              HasSubstr("does not fit"));
  EXPECT_THAT(launch_problem("\"y\", \"cols\"", "\"y\", \"cols / (rows - 4)\"", axes),
              HasSubstr("args[1]: in \"cols / (rows - 4)\", offset 5: division by zero"));
}

TEST(ResolvePlan, Workspace) {
  const Bindings axes{{"rows", 4}, {"cols", 8}};
  const std::string launch =
      R"({"kernel": "k", "grid": [1], "block": [1], "args": ["y", {"workspace_offset": "cols * 2"}]})";
  const KernelTable kernels{kernel("k", {8, 8})};
  EXPECT_EQ(problem_of(source_with(launch, "rows * 4"), axes, kernels), "no problem");
  EXPECT_THAT(
      problem_of(source_with(launch, "rows * 3"), axes, kernels),
      HasSubstr("argument 1 points 16 bytes (`cols * 2`) into a workspace of 12 bytes (`rows "
                "* 3`); enlarge it or correct the offset"));
  EXPECT_THAT(problem_of(source_with(launch, "rows - 5"), axes, kernels),
              HasSubstr("workspace_bytes is -1 (`rows - 5`); it must not be negative"));
  EXPECT_THAT(problem_of(source_with(launch, "rows * 9223372036854775807"), axes, kernels),
              HasSubstr("workspace_bytes: in \"rows * 9223372036854775807\", offset 5"));
  LaunchLimits small_device;
  small_device.max_workspace_bytes = 1000;
  EXPECT_THAT(
      problem_of(source_with(launch, "rows * 1000"), axes, kernels, small_device),
      HasSubstr("workspace_bytes is 4000 (`rows * 1000`); this device allows 1000 at most"));
}

TEST(ResolvePlan, ClustersDivideTheGrid) {
  EXPECT_THAT(
      launch_problem("\"kernel\"", "\"cluster\": [2], \"kernel\"", {{"rows", 7}, {"cols", 8}}),
      HasSubstr("grid[0] is 7 (`rows`), which is no multiple of cluster[0] = 2"));
  EXPECT_EQ(
      launch_problem("\"kernel\"", "\"cluster\": [2], \"kernel\"", {{"rows", 8}, {"cols", 8}}),
      "no problem");
}

TEST(ResolvePlan, KernelsAreLookedUpAgain) {
  EXPECT_THAT(problem_of(k_valid_source, {{"rows", 1}, {"cols", 8}}, {}),
              HasSubstr("there is no kernel `norm_rows`"));
  EXPECT_THAT(launch_problem("\"rows\"", "\"rows\"", {{"rows", 1}, {"cols", 8}}, kernel("k", {8})),
              HasSubstr("takes 1 parameter, the plan passes 2"));
}

TEST(ResolvePlan, AForgottenScalarIsOurError) {
  try {
    resolve_plan(plan_from(k_valid_source), plan_spec(), valid_kernels(),
                 {{"rows", 1}, {"cols", 8}}, {}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::internal);
    EXPECT_STREQ(error.what(), "scalar input `eps` was given no value");
  }
}

}  // namespace
}  // namespace kernelloop
