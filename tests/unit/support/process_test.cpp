#include "support/process.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/secret_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <thread>

namespace kernelloop {
namespace {

using std::chrono::milliseconds;

Command shell(const std::string& script) {
  Command command;
  command.arguments = {"/bin/sh", "-c", script};
  return command;
}

TEST(Process, PassesInputAndKeepsBothStreamsApart) {
  Command command = shell("cat; echo trouble >&2; exit 3");
  command.input = std::string(300'000, 'x');
  const ProcessResult result = run(command);
  EXPECT_EQ(result.output, command.input);
  EXPECT_EQ(result.error_output, "trouble\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.describe(), "exit code 3");
  EXPECT_FALSE(result.succeeded());
}

TEST(Process, AChildThatIgnoresItsInputIsNoTrouble) {
  Command command = shell("exit 0");
  command.input = std::string(5'000'000, 'x');
  EXPECT_TRUE(run(command).succeeded());
}

TEST(Process, ATimeOutTakesTheWholeGroup) {
  Command command = shell("sleep 30 & echo $!; wait");
  command.timeout = milliseconds(300);
  const ProcessResult result = run(command);
  EXPECT_TRUE(result.timed_out);
  EXPECT_THAT(result.describe(), testing::HasSubstr("timed out"));
  const pid_t grandchild = std::atoi(result.output.c_str());
  ASSERT_GT(grandchild, 0);
  // Its new parent reaps it; until then it is a zombie, which kill(…, 0) still finds.
  for (int i = 0; i < 200 && ::kill(grandchild, 0) == 0; ++i) {
    std::string state;
    try {
      state = read_file("/proc/" + std::to_string(grandchild) + "/stat");
    } catch (const Error&) {
      return;
    }
    if (state.find(") Z") != std::string::npos) return;
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_NE(::kill(grandchild, 0), 0) << "the grandchild is still running";
}

TEST(Process, AGrandchildThatKeepsThePipeOpenDoesNotHoldUs) {
  EXPECT_EQ(run(shell("sleep 30 & echo done")).output, "done\n");
}

TEST(Process, MoreOutputThanTheLimitIsDroppedAndSaid) {
  Command command = shell("head -c 1000000 /dev/zero");
  command.output_limit = 1000;
  const ProcessResult result = run(command);
  EXPECT_TRUE(result.succeeded());
  EXPECT_TRUE(result.output_truncated);
  EXPECT_EQ(result.output.size(), 1000u);
}

TEST(Process, ACrashNamesItsSignal) {
  EXPECT_THAT(run(shell("kill -SEGV $$")).describe(), testing::HasSubstr("signal 11"));
}

TEST(Process, SecretsStayHere) {
  ::setenv("KL_TEST_API_KEY", "not-a-real-key", 1);
  ::setenv("KL_TEST_PLAIN", "seen", 1);
  Command command = shell("echo \"$KL_TEST_API_KEY/$KL_TEST_PLAIN/$KL_TEST_NEW\"");
  command.variables["KL_TEST_NEW"] = "new";
  EXPECT_EQ(run(command).output, "/seen/new\n");
  command.scrub_secrets = false;
  EXPECT_EQ(run(command).output, "not-a-real-key/seen/new\n");
}

TEST(Process, AChildThatHasSaidAllIsNotWaitedForForever) {
  Command command = shell("echo the end; exec sleep 60");
  command.is_complete = [](const std::string& output) { return output == "the end\n"; };
  command.grace = std::chrono::milliseconds(50);
  const ProcessResult result = run(command);
  EXPECT_TRUE(result.succeeded());
  EXPECT_TRUE(result.ended_when_complete);
  EXPECT_EQ(result.output, "the end\n");
}

TEST(Process, OneThatGoesOnAfterAllGetsItsTime) {
  Command command = shell("echo the end; sleep 0.1; echo no, this; exit 3");
  command.is_complete = [](const std::string& output) { return output == "the end\n"; };
  const ProcessResult result = run(command);
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "the end\nno, this\n");
}

// In a child, for it changes the whole process.
TEST(Process, CanForgetItsSecrets) {
  ::setenv("KL_TEST_API_KEY", "not-a-real-key", 1);
  EXPECT_EXIT(
      {
        char* value = std::getenv("KL_TEST_API_KEY");
        forget_secrets();
        const bool gone = std::getenv("KL_TEST_API_KEY") == nullptr;
        const bool wiped = *value == '\0';
        const bool others = std::getenv("PATH") != nullptr;
        std::exit(gone && wiped && others ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Process, TheLimitOfCpuTimeEndsAProcessThatSpins) {
  Command command = shell("sleep 0.1; while :; do :; done");
  command.cpu_limit = std::chrono::seconds(1);
  const ProcessResult result = run(command);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.signal, SIGXCPU);
}

TEST(Process, TooManyProcessesAreKilled) {
  Command command = shell("for i in 1 2 3 4 5; do (sleep 30; true) & done; wait");
  command.most_processes = 5;
  const ProcessResult result = run(command);
  EXPECT_FALSE(result.succeeded());
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.describe(), "killed for more than 5 processes at once");
  command = shell("(true) & (true) & wait; echo done");
  command.most_processes = 5;
  EXPECT_TRUE(run(command).succeeded());
}

TEST(Process, MemoryIsCountedOverAllProcesses) {
  const std::string half = "x=$(head -c 30000000 /dev/zero | tr '\\0' a); sleep 30; echo $x";
  Command command = shell("(" + half + ") & (" + half + ") & wait");
  command.most_memory = std::size_t{50} << 20;
  const ProcessResult result = run(command);
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(result.describe(), "killed for more than 50 MiB of memory");
}

TEST(Process, AMissingProgramIsAnError) {
  Command command;
  command.arguments = {"no-such-program-here"};
  try {
    run(command);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_STREQ(error.what(), "cannot find the program 'no-such-program-here' in PATH");
  }
}

// An interrupt of the parent (Ctrl-C reaches only the foreground group) ends the child's group too.
TEST(Process, AnInterruptTakesTheChildAlong) {
  TemporaryDirectory directory;
  const auto mark = directory.path() / "pid";
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::signal(SIGTERM, SIG_DFL);
    run(shell("echo $$ > " + mark.string() + ".new; mv " + mark.string() + ".new " + mark.string() +
              "; sleep 30"));
    std::_Exit(0);
  }
  while (!std::filesystem::exists(mark)) std::this_thread::sleep_for(milliseconds(5));
  ::kill(parent, SIGTERM);
  int status = 0;
  ::waitpid(parent, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_NE(::kill(std::atoi(read_file(mark).c_str()), 0), 0);
}

}  // namespace
}  // namespace kernelloop
