// A worker under ncu. The ncu here is a script that runs the program, writes a report and prints
// prepared pages; the worker is that of the CPU device.
#include "device/ncu_run.hpp"

#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "candidate_plan.hpp"

#include <cstdlib>

namespace kernelloop {
namespace {

using ::testing::HasSubstr;

constexpr const char* k_version = R"(if [ "$1" = "--version" ]; then
  printf 'NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 1)\n'
  exit 0
fi
)";
constexpr const char* k_pages = R"(if [ "$1" = "-i" ]; then
  shift 4
  echo "page $*"
  exit 0
fi
)";
constexpr const char* k_program = R"(while [ "${1##*/}" != "kernelloop-device" ]; do
  if [ "$1" = "--log-file" ]; then log="$2"; fi
  if [ "$1" = "--export" ]; then report="$2"; fi
  shift
done
)";

class NcuRunTest : public ::testing::Test {
 protected:
  NcuRunTest() {
    artifact_ = {DEVICE_FIXTURE, {"twice"}};
    request_.arena = &arena_;
    request_.plan = test::plan_for("twice", 100);
    wanted_.program = KERNELLOOP_DEVICE_PROGRAM;
    wanted_.device = "cpu";
    wanted_.artifact = &artifact_;
    wanted_.request = &request_;
    wanted_.ncu = directory_.path() / "ncu";
  }

  NcuResult run(const std::string& script) {
    write_file_atomic(wanted_.ncu, "#!/bin/sh\n" + script);
    std::filesystem::permissions(wanted_.ncu, std::filesystem::perms::owner_all);
    return run_under_ncu(wanted_);
  }

  TemporaryDirectory directory_;
  TensorArena arena_ = test::make_tensors(100);
  Artifact artifact_;
  RunRequest request_;
  NcuRun wanted_;
};

TEST_F(NcuRunTest, BringsBothPagesOfTheReport) {
  const NcuResult result =
      run(std::string(k_version) + k_pages + k_program + "\"$@\"\nsleep 0.2\ntouch \"$report\"\n");
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(result.version, "2025.3.1.0");
  EXPECT_EQ(result.raw, "page raw --print-units base\n");
  EXPECT_EQ(result.details, "page details\n");
}

TEST_F(NcuRunTest, WhatIsNoNcuIsSaid) {
  EXPECT_THAT(run("exit 3\n").reason, HasSubstr("does not answer as ncu does"));
}

TEST_F(NcuRunTest, AComplaintIsQuoted) {
  const NcuResult result = run(std::string(k_version) + k_program +
                               "echo '==ERROR== ERR_NVGPUCTRPERM - no permission' > \"$log\"\n"
                               "exec \"$@\"\n");
  EXPECT_EQ(result.reason, "under ncu: ERR_NVGPUCTRPERM - no permission");
  EXPECT_EQ(result.raw, "");
}

TEST_F(NcuRunTest, ARunWithoutAReportIsSaid) {
  EXPECT_EQ(run(std::string(k_version) + k_program + "exec \"$@\"\n").reason,
            "under ncu: it wrote no report");
}

TEST_F(NcuRunTest, AProgramThatDoesNotStartIsSaid) {
  EXPECT_THAT(run(std::string(k_version) + "echo 'unknown option'\nexit 1\n").reason,
              HasSubstr("under ncu: loading the kernels: it exited with code 1; unknown option"));
}

TEST_F(NcuRunTest, AReportThatCannotBeReadIsSaid) {
  const NcuResult result =
      run(std::string(k_version) + "if [ \"$1\" = \"-i\" ]; then exit 5; fi\n" + k_program +
          "\"$@\"\ntouch \"$report\"\n");
  EXPECT_EQ(result.reason, "ncu cannot read its own report: exit code 5");
  EXPECT_EQ(result.raw, "");
}

TEST_F(NcuRunTest, APageThatIsTooLongToKeepIsSaid) {
  const NcuResult result = run(std::string(k_version) +
                               "if [ \"$1\" = \"-i\" ]; then exec head -c 8500000 /dev/zero; fi\n" +
                               k_program + "\"$@\"\ntouch \"$report\"\n");
  EXPECT_EQ(result.reason, "ncu cannot read its own report: it prints too much");
  EXPECT_EQ(result.raw, "");
}

TEST(NcuCommand, LeavesClocksAloneAndLooksAtThePlansKernelsOnly) {
  const std::vector<std::string> command =
      ncu_command("/x/ncu", "/t/report", "/t/log", {"a", "b", "a"});
  const auto after = [&](const std::string& option) {
    const auto at = std::find(command.begin(), command.end(), option);
    return at == command.end() ? std::string() : *(at + 1);
  };
  EXPECT_EQ(command.front(), "/x/ncu");
  EXPECT_EQ(after("--clock-control"), "none");
  EXPECT_EQ(after("--kernel-name"), "regex:^(a|b)$");
  EXPECT_EQ(after("--launch-count"), "3");
  EXPECT_EQ(after("--log-file"), "/t/log");
  EXPECT_EQ(after("--export"), "/t/report");
  EXPECT_EQ(after("--section"), "SpeedOfLight");
}

TEST(FindNcu, IsToldByTheEnvironment) {
  ::setenv("KERNELLOOP_NCU", "off", 1);
  EXPECT_EQ(find_ncu(), "");
  ::setenv("KERNELLOOP_NCU", "sh", 1);
  EXPECT_EQ(find_ncu().filename(), "sh");
  ::unsetenv("KERNELLOOP_NCU");
}

}  // namespace
}  // namespace kernelloop
