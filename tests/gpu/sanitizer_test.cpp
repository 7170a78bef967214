// The worker under compute-sanitizer. Skipped with the tool's reason where it cannot be used.
#include "gpu_test.hpp"

namespace kernelloop::test {
namespace {

using ::testing::HasSubstr;
using Outcome = ToolResult::Outcome;

class GpuSanitizer : public GpuTest {
 protected:
  // The fault of a run under the tool; skips the test where the tool says nothing.
  ToolResult check(SanitizerTool tool, const std::string& kernel) {
    RunRequest request;
    request.arena = &arena_;
    request.plan = plan_for(kernel, k_elements);
    return worker_.check(tool, request);
  }

  void expect_clean_then_found(SanitizerTool tool, const std::string& kernel, FaultKind kind) {
    const ToolResult clean = check(tool, "twice");
    if (clean.outcome == Outcome::unavailable) GTEST_SKIP() << clean.reason;
    EXPECT_EQ(clean.outcome, Outcome::clean) << clean.finding.message;
    EXPECT_FALSE(clean.version.empty());
    expect_twice();
    const ToolResult found = check(tool, kernel);
    ASSERT_EQ(found.outcome, Outcome::found) << found.reason;
    EXPECT_EQ(found.finding.kind, kind) << found.finding.message;
    EXPECT_THAT(found.finding.message, HasSubstr("in kernel '" + kernel + "' at candidates.cu:"));
  }
};

TEST_F(GpuSanitizer, MemcheckFindsAReadPastTheEnd) {
  expect_clean_then_found(SanitizerTool::memcheck, "reads_past_end", FaultKind::illegal_access);
  EXPECT_THAT(check(SanitizerTool::memcheck, "reads_past_end").finding.message,
              HasSubstr("after 'x' (4000 bytes)"));
}

TEST_F(GpuSanitizer, MemcheckFindsMisalignment) {
  expect_clean_then_found(SanitizerTool::memcheck, "misaligned", FaultKind::misaligned);
}

TEST_F(GpuSanitizer, RacecheckFindsARace) {
  expect_clean_then_found(SanitizerTool::racecheck, "races", FaultKind::race);
}

TEST_F(GpuSanitizer, InitcheckFindsAReadBeforeTheFirstWrite) {
  expect_clean_then_found(SanitizerTool::initcheck, "reads_output", FaultKind::reads_uninitialised);
}

TEST_F(GpuSanitizer, SynccheckFindsADivergentBarrier) {
  expect_clean_then_found(SanitizerTool::synccheck, "half_barrier", FaultKind::divergent_barrier);
}

}  // namespace
}  // namespace kernelloop::test
