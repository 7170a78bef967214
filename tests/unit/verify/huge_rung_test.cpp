// The rung huge, at sizes that a test can afford: the data repeats, so must the outputs.
#include "verify/case_runner.hpp"
#include "verify/repetition.hpp"

#include <gmock/gmock.h>

#include "verify_fixture.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Huge : public Verify {
 protected:
  static constexpr std::int64_t k_rows = 12000;  // periods of 5456 rows of 96
  static constexpr std::int64_t k_cols = 96;

  Huge() {
    Json checks = read_json(options_.checks).value;
    checks["ladder"]["huge"] = {{"axis", "rows"},
                                {"shapes", {{{"rows", k_rows}, {"cols", k_cols}}}}};
    write_file_atomic(options_.checks, to_text(checks));
    options_.only_rung = "huge";
    memory_bytes_ = std::int64_t{1} << 40;
  }

  static std::string pattern(const VerifyResult& result) {
    return last_case(result).at("outputs").at(0).at("pattern").get<std::string>();
  }
};

TEST_F(Huge, ARightKernelPassesAtTheWholeShape) {
  std::int64_t rows = 0;
  const VerifyResult result = verify([&](const FakeLaunch& launch) {
    rows = launch.rows;
    return softmax_kernel(launch);
  });
  EXPECT_EQ(result.status, Verdict::passed) << result.details;
  EXPECT_EQ(rows, k_rows);
  EXPECT_EQ(last_case(result).at("axes").at("rows"), k_rows);
}

TEST_F(Huge, TheDataRepeatsWithAPeriodOfSixteenTimesAnOddNumber) {
  verify([&](const FakeLaunch& launch) {
    const std::vector<double> x = launch.read("x");
    // Whole rows: two elements of bfloat16 are equal by chance in one row of many thousands.
    std::int64_t period = 1;
    while (!std::equal(x.begin(), x.begin() + k_cols, x.begin() + period * k_cols)) ++period;
    EXPECT_EQ(period % 16, 0);
    EXPECT_EQ(period / 16 % 2, 1);
    return softmax_kernel(launch);
  });
}

TEST_F(Huge, WhatGoesWrongLateIsFoundThere) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    launch.write("y", (k_rows - 1) * k_cols, 7.0);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_THAT(pattern(result), StartsWith("right for the first "));
  EXPECT_THAT(pattern(result), HasSubstr("do indices fit into 32 bits?"));
}

TEST_F(Huge, AnUnwrittenTailIsFound) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    const auto y = launch.arena.bytes("y");
    const std::vector<std::byte> poisoned(y.begin(), y.end());
    softmax_kernel(launch);
    std::copy(poisoned.end() - 64, poisoned.end(), y.end() - 64);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
}

TEST_F(Huge, WhatIsWrongFromTheStartIsJudgedAsUsual) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    for (std::int64_t i = 0; i < launch.rows * launch.cols; ++i) launch.write("y", i, 0.0);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_THAT(pattern(result), testing::Not(HasSubstr("right for the first")));
}

TEST_F(Huge, OtherBitsWithinTheBoundsAreFine) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    nudge(launch, k_rows - 1, k_cols - 1);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::passed) << result.details;
}

TEST_F(Huge, ADeviceWithTooLittleMemoryIsSkippedAndSaysSo) {
  memory_bytes_ = 1 << 20;
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::skipped);
  EXPECT_EQ(last_case(result).at("status"), "skipped");
  EXPECT_EQ(last_case(result).at("note"), "needs 4 MiB on the device, which has 1 MiB");
}

TEST_F(Huge, OnlyWhenNamed) {
  options_.only_rung.clear();
  options_.device = "cpu";
  options_.sanitizer = true;
  for (const std::string& name : rung_names(verify(softmax_kernel))) EXPECT_NE(name, "huge");
}

TEST_F(Huge, IsSkippedOnAnEmulation) {
  options_.device = "cpu";
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::skipped);
  EXPECT_THAT(result.summary, HasSubstr("the device is emulated"));
}

TEST_F(Huge, EveryRunIsHeldAgainstTheFirst) {
  write_file_atomic(path("compile.json"), to_text(compiled_));
  const OpSpec spec = parse_op_spec(read_json(options_.checks));
  const CompiledVersion version = load_compiled_version(options_.compiled, spec, "cuda");
  const ReferenceLibrary reference(options_.reference);
  constexpr std::int64_t k_whole = 130;
  int runs = 0;
  int wrong_run = 0;
  FakeExecutor executor(
      "cuda",
      [&](const FakeLaunch& launch) {
        EXPECT_EQ(launch.rows, k_whole);
        softmax_kernel(launch);
        if (++runs == wrong_run) launch.write("y", (k_whole - 1) * k_cols, 7.0);
        return RunResult{};
      },
      tools_);
  executor.set_memory(memory_bytes_);
  const CaseRunner runner(spec, version, reference, executor, std::chrono::seconds(10));
  CasePlan plan;
  plan.variables = {{"rows", 48}, {"cols", k_cols}};
  plan.runs = {CaseRun{}, CaseRun{}};
  plan.repetition = Repetition{"rows", k_whole};
  const auto verdict_of = [&] {
    CaseData data(spec, plan, TensorArena(slots_of(spec, resolve_axes(spec, plan.variables))),
                  std::make_shared<MemoryPool>(MemoryBlock::Kind::owned));
    runs = 0;
    return runner.run(plan, data);
  };
  EXPECT_EQ(verdict_of().status, Verdict::passed);
  EXPECT_EQ(runs, 2);
  wrong_run = 2;
  const CaseVerdict verdict = verdict_of();
  EXPECT_EQ(verdict.status, Verdict::failed);
  EXPECT_THAT(verdict.fault.value().message, HasSubstr("first at y[129, 0]"));
}

TEST(Repetition, IsForLargeCasesOfSpecsThatNameAnAxis) {
  OpSpec spec = samples::softmax();
  const auto repeated = [&](std::int64_t rows, std::int64_t cols) {
    CasePlan plan;
    plan.variables = {{"rows", rows}, {"cols", cols}};
    repeat_if_large(spec, plan);
    EXPECT_EQ(plan.repetition.has_value(), plan.variables.at("rows") != rows);
    EXPECT_EQ(plan.repetition.value_or(Repetition{"", rows}).whole, rows);
    return plan.variables.at("rows");
  };
  spec.ladder.huge.reset();
  EXPECT_EQ(repeated(65536, 1024), 65536);
  spec.ladder.huge.emplace().axis = "rows";
  EXPECT_EQ(repeated(65536, 1024), 16 * 129);
  EXPECT_EQ(repeated(1024, 65536), 16 * 3);
  EXPECT_EQ(repeated(16, 1 << 22), 16);   // no shorter period begins where vectors can
  EXPECT_EQ(repeated(4096, 1023), 4096);  // under 16 MB
}

}  // namespace
}  // namespace kernelloop
