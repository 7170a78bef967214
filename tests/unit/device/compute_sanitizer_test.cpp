// Reports of compute-sanitizer: what they find, and when they say nothing.
#include "device/compute_sanitizer.hpp"

#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Outcome = ToolResult::Outcome;

const std::string k_head = "========= COMPUTE-SANITIZER\n";
const std::string k_foot = "========= ERROR SUMMARY: 1 error\n";

const std::string k_planted_memcheck =
    "========= Invalid __global__ read of size 1 bytes\n"
    "=========     at kernelloop_planted_memcheck+0x70\n"
    "=========     by thread (0,0,0) in block (0,0,0)\n"
    "=========     Access to 0x7f0000200ce8 is out of bounds\n"
    "========= \n";

const std::string k_write =
    "========= Invalid __global__ write of size 4 bytes\n"
    "=========     at rows(float *, int)+0xb0 in kernel.cu:16\n"
    "=========     by thread (104,0,0) in block (7,0,0)\n"
    "=========     Access to 0x7ff23a801fa0 is out of bounds\n"
    "=========     and is 1 bytes after the nearest allocation at 0x7ff23a801000 of size 4,000 "
    "bytes\n"
    "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
    "=========         Host Frame: cuLaunchKernelEx [0x39fc2f] in libcuda.so.1\n"
    "========= \n"
    "========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to \"unspecified launch "
    "failure\" on CUDA API call to cuStreamSynchronize.\n"
    "=========     Saved host backtrace up to driver entry point at error\n"
    "========= \n"
    "a line of the program\n";

ToolResult judged(SanitizerTool tool, const std::string& log) {
  return judge_tool_report(tool, read_tool_report(log), {{"y", 0x7ff23a801000}, {"x", 0x10}});
}

TEST(ToolReport, AFindingNamesKernelLineThreadAndTensor) {
  const ToolResult result = judged(SanitizerTool::memcheck, k_head + k_write + k_foot);
  EXPECT_EQ(result.outcome, Outcome::found);
  EXPECT_EQ(result.finding.kind, FaultKind::illegal_access);
  EXPECT_EQ(result.finding.message,
            "memcheck: Invalid __global__ write of size 4 bytes in kernel 'rows' at kernel.cu:16, "
            "thread (104,0,0) in block (7,0,0), 1 bytes after 'y' (4000 bytes)");
}

TEST(ToolReport, TheFirstOfSeveralCounts) {
  const std::string second =
      "========= Invalid __shared__ read of size 2 bytes\n"
      "=========     at other+0x10 in kernel.cu:99\n"
      "========= \n";
  const ToolReport report =
      read_tool_report(k_head + k_write + second + k_planted_memcheck + k_foot);
  ASSERT_EQ(report.findings.size(), 3u);
  EXPECT_EQ(report.findings[1].kernel, "other");
  EXPECT_EQ(report.findings[1].place, "kernel.cu:99");
  EXPECT_EQ(report.findings[2].kernel, "kernelloop_planted_memcheck");
}

TEST(ToolReport, CleanNeedsThePlantedFault) {
  EXPECT_EQ(judged(SanitizerTool::memcheck, k_head + k_planted_memcheck + k_foot).outcome,
            Outcome::clean);
  const ToolResult asleep =
      judged(SanitizerTool::memcheck, k_head + "========= ERROR SUMMARY: 0 errors\n");
  EXPECT_EQ(asleep.outcome, Outcome::unavailable);
  EXPECT_EQ(
      asleep.reason,
      "compute-sanitizer's memcheck did not see the fault that was planted behind the run, so "
      "it says nothing about the candidate");
  // That of another tool does not do.
  EXPECT_EQ(judged(SanitizerTool::racecheck, k_head + k_planted_memcheck + k_foot).outcome,
            Outcome::unavailable);
}

TEST(ToolReport, CleanNeedsHeadAndSummary) {
  EXPECT_EQ(judged(SanitizerTool::memcheck, "").reason,
            "compute-sanitizer's memcheck wrote no report");
  EXPECT_EQ(judged(SanitizerTool::memcheck, k_planted_memcheck + k_foot).outcome,
            Outcome::unavailable);
  EXPECT_EQ(judged(SanitizerTool::memcheck, k_head + k_planted_memcheck).reason,
            "the report of compute-sanitizer's memcheck breaks off");
}

TEST(ToolReport, ItsOwnTroubleIsTold) {
  const ToolResult result =
      judged(SanitizerTool::memcheck, k_head +
                                          "========= Error: Device not supported. See the manual\n"
                                          "========= ERROR SUMMARY: 0 errors\n");
  EXPECT_EQ(result.outcome, Outcome::unavailable);
  EXPECT_THAT(result.reason, HasSubstr(": Error: Device not supported. See the manual"));
}

TEST(ToolReport, Misalignment) {
  const ToolResult result =
      judged(SanitizerTool::memcheck, k_head +
                                          "========= Invalid __global__ read of size 16 bytes\n"
                                          "=========     at rows+0x70 in kernel.cu:26\n"
                                          "=========     by thread (0,0,0) in block (0,0,0)\n"
                                          "=========     Access to 0x7f9c40801004 is misaligned\n"
                                          "=========     and is inside the nearest allocation at "
                                          "0x7ff23a801000 of size 4000 bytes\n" +
                                          k_foot);
  EXPECT_EQ(result.finding.kind, FaultKind::misaligned);
  EXPECT_THAT(result.finding.message, HasSubstr("inside 'y' (4000 bytes)"));
}

TEST(ToolReport, ARaceNamesBothAccesses) {
  const std::string race =
      "========= Error: Race reported between Write access at rows(const float *, float *)+0xe0 in "
      "kernel.cu:35\n"
      "=========     and Read access at rows(const float *, float *)+0xf0 in kernel.cu:36 [512 "
      "hazards]\n"
      "========= \n";
  const ToolResult result =
      judged(SanitizerTool::racecheck,
             k_head + race + "========= RACECHECK SUMMARY: 1 hazard displayed (1 error)\n");
  EXPECT_EQ(result.finding.kind, FaultKind::race);
  EXPECT_EQ(
      result.finding.message,
      "racecheck: Write access races in kernel 'rows' at kernel.cu:35 with the Read access at "
      "kernel.cu:36");
}

TEST(ToolReport, APlantedRaceShowsThatRacecheckIsAwake) {
  const std::string race =
      "========= Error: Race reported between Write access at kernelloop_planted_racecheck+0x80\n"
      "=========     and Write access at kernelloop_planted_racecheck+0x80 [132 hazards]\n"
      "========= \n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
  EXPECT_EQ(judged(SanitizerTool::racecheck, k_head + race).outcome, Outcome::clean);
}

TEST(ToolReport, UninitialisedReads) {
  const ToolResult result = judged(SanitizerTool::initcheck,
                                   k_head +
                                       "========= Uninitialized __global__ memory read of size 4 "
                                       "bytes\n"
                                       "=========     at rows(const float *)+0xb0 in kernel.cu:46\n"
                                       "=========     by thread (0,0,0) in block (4,0,0)\n" +
                                       k_foot);
  EXPECT_EQ(result.finding.kind, FaultKind::reads_uninitialised);
  EXPECT_THAT(result.finding.message, HasSubstr("at kernel.cu:46"));
}

TEST(ToolReport, TheKernelIsTheLastDeviceFrame) {
  const ToolResult result =
      judged(SanitizerTool::synccheck, k_head +
                                           "========= Barrier error detected. Invalid arguments.\n"
                                           "=========     at __syncwarp(unsigned int)+0xa0 in "
                                           "sm_30_intrinsics.hpp:110\n"
                                           "=========     by thread (64,0,0) in block (0,0,0)\n"
                                           "=========         Device Frame: rows(float *)+0x90 in "
                                           "kernel.cu:53\n" +
                                           k_foot);
  EXPECT_EQ(result.finding.kind, FaultKind::divergent_barrier);
  EXPECT_THAT(result.finding.message, HasSubstr("in kernel 'rows' at kernel.cu:53"));
}

// Calls of the driver fail after every finding; by themselves they are not about the device code.
TEST(ToolReport, CallsOfTheDriverAreNoFindings) {
  const std::string call =
      "========= Host API memory access error at host access to 0x7f6d16801000 of size 32 bytes\n"
      "=========     Uninitialized access to 0x7f6d16801000 on access by cudaMemcpy source\n"
      "========= \n";
  EXPECT_THAT(read_tool_report(k_head + call + k_foot).findings, IsEmpty());
}

TEST(ComputeSanitizer, TheCommandNamesToolLogAndKernels) {
  const auto command =
      compute_sanitizer_command("/t/cs", SanitizerTool::initcheck, "/tmp/log", {"a", "b"});
  EXPECT_EQ(command.front(), "/t/cs");
  for (const char* word : {"initcheck", "/tmp/log", "kne=a", "kne=b",
                           "kne=kernelloop_planted_initcheck", "--check-api-memory-access"}) {
    EXPECT_THAT(command, Contains(word));
  }
}

TEST(ComputeSanitizer, OnlyTheToolsOwnAnswerHasAVersion) {
  const TemporaryDirectory directory;
  const auto program = [&](const std::string& prints) {
    const auto path = directory.path() / "tool";
    write_file_atomic(path, "#!/bin/sh\nprintf '" + prints + "'\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return compute_sanitizer_version(path);
  };
  EXPECT_EQ(program("NVIDIA (R) Compute Sanitizer\\nVersion 2025.3.1.0 (build 1)\\n"),
            "2025.3.1.0");
  EXPECT_EQ(program("Something else\\nVersion 3\\n"), "");
  EXPECT_EQ(program(""), "");
}

}  // namespace
}  // namespace kernelloop
