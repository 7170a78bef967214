#include "support/sandbox.hpp"

#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    if (!sandbox_problem().empty()) GTEST_SKIP() << sandbox_problem();
    std::filesystem::create_directory(inside());
    rules_.writable = {inside()};
  }

  std::filesystem::path inside() const { return directory_.path() / "inside"; }

  ProcessResult shell(const std::string& script) {
    command_.arguments = {"bash", "-c", script};
    return run(confine(command_, rules_));
  }

  TemporaryDirectory directory_;
  SandboxRules rules_;
  Command command_;
};

TEST_F(Sandbox, RunsAProgramInItsFolder) {
  const ProcessResult result = shell("pwd; echo made > file; cat file; echo no >&2; exit 7");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.output, inside().string() + "\nmade\n");
  EXPECT_EQ(result.error_output, "no\n");
  EXPECT_EQ(read_file(inside() / "file"), "made\n");
}

TEST_F(Sandbox, GetsItsInputAndItsVariablesAndNoOthers) {
  ::setenv("KERNELLOOP_SANDBOX_TEST_KEY", "secret", 1);
  rules_.variables = {{"GIVEN", "value"}};
  command_.input = "typed";
  const ProcessResult result = shell("cat; echo; env");
  ::unsetenv("KERNELLOOP_SANDBOX_TEST_KEY");
  EXPECT_THAT(result.output, HasSubstr("typed\n"));
  EXPECT_THAT(result.output, HasSubstr("GIVEN=value\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("secret")));
}

TEST_F(Sandbox, SeesNoOtherProcess) {
  // The number of this test's process would be there to read its environment.
  const ProcessResult result =
      shell("ls -d /proc/[0-9]* | wc -l; cat /proc/1/environ | tr '\\0' '\\n'");
  EXPECT_LT(std::atoi(result.output.c_str()), 8);
  EXPECT_THAT(result.output, Not(HasSubstr("HOME=" + std::string(std::getenv("HOME")) + "\n")));
}

TEST_F(Sandbox, ReadsNothingBeside) {
  write_file_atomic(directory_.path() / "beside", "secret");
  const std::string path = (directory_.path() / "beside").string();
  EXPECT_FALSE(shell("cat " + path).succeeded());
  EXPECT_FALSE(shell("cat /etc/passwd").succeeded());
  ASSERT_EQ(::symlink(path.c_str(), (inside() / "link").c_str()), 0);
  EXPECT_FALSE(shell("cat link").succeeded());
  rules_.readable = {directory_.path() / "beside"};
  EXPECT_EQ(shell("cat " + path).output, "secret");
}

TEST_F(Sandbox, WritesNothingBeside) {
  rules_.readable = {directory_.path()};
  EXPECT_FALSE(shell("echo x > ../made").succeeded());
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "made"));
  EXPECT_FALSE(shell("echo x > /usr/made").succeeded());
  // A home and a /tmp of its own, which go with it.
  EXPECT_TRUE(shell("echo x > $HOME/made && echo x > /tmp/kernelloop_sandbox_test").succeeded());
  EXPECT_FALSE(std::filesystem::exists("/tmp/kernelloop_sandbox_test"));
}

TEST_F(Sandbox, HasNoNetwork) {
  const int server = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(server, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(server, 1), 0);
  ASSERT_EQ(::getsockname(server, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const std::string connect = "exec 3<>/dev/tcp/127.0.0.1/" + port;
  Command open;
  open.arguments = {"bash", "-c", connect};
  EXPECT_TRUE(run(open).succeeded());
  EXPECT_FALSE(shell(connect).succeeded());
  ::close(server);
}

TEST_F(Sandbox, EndsWithAllThatItStarted) {
  command_.timeout = std::chrono::milliseconds(300);
  const ProcessResult result = shell("(sleep 1; echo late > late) & setsid sleep 1000");
  EXPECT_TRUE(result.timed_out);
  ::usleep(1200000);
  EXPECT_FALSE(std::filesystem::exists(inside() / "late"));
}

TEST_F(Sandbox, MayNotTakeAllMemoryOrDisk) {
  command_.memory_limit = std::size_t{256} << 20;
  EXPECT_FALSE(shell("x=$(head -c 500000000 /dev/zero | tr '\\0' a); echo ${#x}").succeeded());
  command_.file_limit = 1000;
  EXPECT_FALSE(shell("head -c 2000 /dev/zero > large").succeeded());
  EXPECT_LE(std::filesystem::file_size(inside() / "large"), 1000u);
  rules_.scratch_bytes = std::size_t{1} << 20;
  command_.file_limit = 0;
  EXPECT_FALSE(shell("head -c 2000000 /dev/zero > /tmp/large").succeeded());
}

TEST_F(Sandbox, NothingButItsFoldersCanBeWritten) {
  EXPECT_FALSE(shell("echo x > /made").succeeded());
  EXPECT_FALSE(shell("echo x > /dev/made").succeeded());
  rules_.scratch_bytes = std::size_t{1} << 20;
  EXPECT_FALSE(shell("head -c 2000000 /dev/zero > /dev/shm/large").succeeded());
  EXPECT_TRUE(shell("echo x > /dev/null && echo x > /dev/shm/small").succeeded());
}

TEST_F(Sandbox, PlacesAFolderElsewhere) {
  write_file_atomic(directory_.path() / "file", "text");
  rules_.placed["/tmp/there"] = directory_.path();
  EXPECT_EQ(shell("cat /tmp/there/file").output, "text");
  EXPECT_FALSE(shell("echo x > /tmp/there/file").succeeded());
}

TEST_F(Sandbox, MaySeeTheWholeSystemForReading) {
  rules_.whole_system = true;
  EXPECT_TRUE(shell("cat /etc/passwd").succeeded());
  EXPECT_FALSE(shell("echo x > /etc/kernelloop_sandbox_test").succeeded());
  write_file_atomic(directory_.path() / "beside", "secret");
  // It is in /tmp, which is its own.
  EXPECT_FALSE(shell("cat " + (directory_.path() / "beside").string()).succeeded());
}

TEST(SandboxRules, NameWhatIsToBeSeen) {
  Command command;
  command.arguments = {"program", "an argument"};
  command.directory = "/somewhere";
  command.timeout = std::chrono::seconds(7);
  const Command confined = confine(command, {{"/read"}, {"/write"}, {{"A", "b"}}});
  EXPECT_EQ(confined.arguments.front(), "bwrap");
  EXPECT_EQ(confined.arguments.back(), "an argument");
  EXPECT_TRUE(confined.directory.empty());
  EXPECT_EQ(confined.timeout, command.timeout);
  EXPECT_THAT(confined.arguments,
              testing::IsSupersetOf({"--unshare-all", "/read", "/write", "A", "b"}));
  EXPECT_FALSE(confined.inherit_variables);
}

}  // namespace
}  // namespace kernelloop
