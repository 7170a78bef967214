// A worker under a watching program. The watcher here is a script that writes a prepared report;
// the worker is that of the CPU device.
#include "device/tool_run.hpp"

#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "candidate_plan.hpp"

namespace kernelloop {
namespace {

using ::testing::HasSubstr;
using Outcome = ToolResult::Outcome;

constexpr const char* k_clean =
    "========= COMPUTE-SANITIZER\n"
    "========= Invalid __global__ read of size 1 bytes\n"
    "=========     at kernelloop_planted_memcheck+0x70\n"
    "========= \n"
    "========= ERROR SUMMARY: 1 error\n";

// Finds the log file and the program among its arguments, runs the program to its end, then writes.
constexpr const char* k_watcher = R"(#!/bin/sh
while [ "${1##*/}" != "kernelloop-device" ]; do
  if [ "$1" = "--log-file" ]; then log="$2"; fi
  shift
done
"$@"
sleep 0.2
cp "$0.report" "$log"
)";

class ToolRunTest : public ::testing::Test {
 protected:
  ToolRunTest() {
    artifact_ = {DEVICE_FIXTURE, {"twice"}};
    request_.arena = &arena_;
    request_.plan = test::plan_for("twice", 100);
    wanted_.program = KERNELLOOP_DEVICE_PROGRAM;
    wanted_.device = "cpu";
    wanted_.artifact = &artifact_;
    wanted_.request = &request_;
  }

  ToolResult run(const std::string& watcher, const std::string& report) {
    wanted_.tool_program = directory_.path() / "watcher";
    write_file_atomic(wanted_.tool_program, watcher);
    std::filesystem::permissions(wanted_.tool_program, std::filesystem::perms::owner_all);
    write_file_atomic(wanted_.tool_program.string() + ".report", report);
    return run_under_tool(wanted_);
  }

  TemporaryDirectory directory_;
  TensorArena arena_ = test::make_tensors(100);
  Artifact artifact_;
  RunRequest request_;
  ToolRun wanted_;
};

TEST_F(ToolRunTest, AReportThatIsWrittenAfterTheWorkersEndCounts) {
  const ToolResult result = run(k_watcher, k_clean);
  EXPECT_EQ(result.outcome, Outcome::clean) << result.reason;
  EXPECT_FALSE(result.run.fault);
  EXPECT_EQ(test::element(arena_, "y", 3), 7.0f);
}

TEST_F(ToolRunTest, AFindingIsTheCandidates) {
  const ToolResult result = run(k_watcher,
                                "========= COMPUTE-SANITIZER\n"
                                "========= Invalid __global__ write of size 4 bytes\n"
                                "=========     at twice+0x70 in kernel.cu:12\n"
                                "========= ERROR SUMMARY: 1 error\n");
  EXPECT_EQ(result.outcome, Outcome::found);
  EXPECT_THAT(result.finding.message, HasSubstr("kernel.cu:12"));
}

TEST_F(ToolRunTest, AWatcherThatOnlyRunsTheProgramIsNoPass) {
  const ToolResult result =
      run("#!/bin/sh\nwhile [ \"${1##*/}\" != kernelloop-device ]; do shift; "
          "done\nexec \"$@\"\n",
          "");
  EXPECT_EQ(result.outcome, Outcome::unavailable);
  EXPECT_THAT(result.reason, HasSubstr("wrote no report"));
}

TEST_F(ToolRunTest, AWatcherThatRefusesIsQuoted) {
  const ToolResult result = run("#!/bin/sh\necho 'unknown option --kernel-name'\nexit 1\n", "");
  EXPECT_EQ(result.outcome, Outcome::unavailable);
  EXPECT_THAT(result.reason, HasSubstr("under compute-sanitizer's memcheck, loading the kernels"));
  EXPECT_THAT(result.reason, HasSubstr("unknown option --kernel-name"));
}

TEST_F(ToolRunTest, AFaultThatTheToolDoesNotExplainIsStillAFault) {
  request_.plan = test::plan_for("write_past_end", 100);
  const ToolResult result = run(k_watcher, k_clean);
  EXPECT_EQ(result.outcome, Outcome::found);
  EXPECT_EQ(result.finding.kind, FaultKind::illegal_access);
}

TEST_F(ToolRunTest, NamesOfTheHarnessAreTaken) {
  artifact_.kernels = {"kernelloop_planted_memcheck"};
  const ToolResult result = run(k_watcher, k_clean);
  EXPECT_EQ(result.outcome, Outcome::found);
  EXPECT_THAT(result.finding.message, HasSubstr("rename it"));
}

}  // namespace
}  // namespace kernelloop
