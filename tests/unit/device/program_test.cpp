// The program kernelloop-device from outside.
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

namespace kernelloop {
namespace {

using ::testing::HasSubstr;

ProcessResult device_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), KERNELLOOP_DEVICE_PROGRAM);
  Command command;
  command.arguments = std::move(arguments);
  return run(command);
}

bool has_driver() { return ::dlopen("libcuda.so.1", RTLD_NOW) != nullptr; }

TEST(Program, InfoDescribesTheCpuDevice) {
  const ProcessResult result = device_program({"info", "--device", "cpu"});
  ASSERT_TRUE(result.succeeded()) << result.error_output;
  const Json device = Json::parse(result.output);
  EXPECT_EQ(device.at("kind"), "cpu");
  EXPECT_GT(device.at("memory_bytes"), 0);
  EXPECT_THAT(device.at("confinement").get<std::string>(), HasSubstr("no new privileges"));
}

ProcessResult describe_without_bubblewrap(const std::string& mode) {
  Command command;
  command.arguments = {KERNELLOOP_DEVICE_PROGRAM, "info", "--device", "cpu"};
  command.variables = {{"PATH", "/nowhere"}, {"KERNELLOOP_SANDBOX", mode}};
  return run(command);
}

TEST(Program, WithoutBubblewrapTheEvidenceNamesWhatIsOpen) {
  const ProcessResult result = describe_without_bubblewrap("auto");
  ASSERT_TRUE(result.succeeded()) << result.error_output;
  EXPECT_THAT(result.output, HasSubstr("no bubblewrap (there is no bwrap on this machine; install "
                                       "the package bubblewrap"));
  EXPECT_THAT(result.output, HasSubstr("files, network and other processes within reach"));
}

TEST(Program, WhereASandboxIsRequiredNothingRunsWithoutOne) {
  const ProcessResult result = describe_without_bubblewrap("required");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.error_output,
              HasSubstr("KERNELLOOP_SANDBOX is required, and nothing can be confined here: there "
                        "is no bwrap on this machine; install the package bubblewrap"));
}

TEST(Program, ABubblewrapThatDoesNotWorkIsAsGoodAsNone) {
  const TemporaryDirectory folder;
  const std::filesystem::path program = folder.path() / "bwrap";
  write_file_atomic(program, "#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  Command command;
  command.arguments = {KERNELLOOP_DEVICE_PROGRAM, "info", "--device", "cpu"};
  command.variables = {{"PATH", folder.path().string() + ":/usr/bin:/bin"},
                       {"KERNELLOOP_SANDBOX", "auto"}};
  const ProcessResult open = run(command);
  ASSERT_TRUE(open.succeeded()) << open.error_output;
  EXPECT_THAT(open.output, HasSubstr("no bubblewrap (bwrap exit code 1: bwrap: No permissions; "
                                     "install the package bubblewrap and allow"));
  command.variables["KERNELLOOP_SANDBOX"] = "required";
  const ProcessResult refused = run(command);
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.error_output, HasSubstr("nothing can be confined here: bwrap exit code 1"));
}

TEST(Program, AnUnknownModeOfTheSandboxIsRefused) {
  const ProcessResult result = describe_without_bubblewrap("of course");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output,
              HasSubstr("KERNELLOOP_SANDBOX is 'of course', but must be auto, off or required"));
}

TEST(Program, InfoWithoutADriverIsAnErrorOfTheEnvironment) {
  if (has_driver()) GTEST_SKIP() << "this machine has an NVIDIA driver";
  const ProcessResult result = device_program({"info", "--device", "cuda"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.error_output, ::testing::AnyOf(HasSubstr("no NVIDIA driver"),
                                                    HasSubstr("without the CUDA toolkit")));
  EXPECT_THAT(result.error_output, HasSubstr("use the device 'cpu'"));
}

TEST(Program, ListNamesEveryDeviceOrTheReason) {
  const ProcessResult result = device_program({"list"});
  ASSERT_TRUE(result.succeeded()) << result.error_output;
  EXPECT_THAT(result.output, HasSubstr("cpu   "));
  EXPECT_THAT(result.output, HasSubstr("cuda  "));
  if (!has_driver()) {
    EXPECT_THAT(result.output, HasSubstr("cuda  not available: "));
  }
}

TEST(Program, AWrongCommandLineIsAUsageError) {
  EXPECT_EQ(device_program({}).exit_code, 2);
  EXPECT_EQ(device_program({"conquer"}).exit_code, 2);
  const ProcessResult result = device_program({"info", "--device", "abacus"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, HasSubstr("abacus"));
}

TEST(Program, HelpIsNoErrorAndHidesTheWorker) {
  const ProcessResult result = device_program({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("info"));
  EXPECT_THAT(result.output, ::testing::Not(HasSubstr("worker")));
}

}  // namespace
}  // namespace kernelloop
