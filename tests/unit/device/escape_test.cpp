// What a candidate with host code of its own can reach from its worker: nothing, in a sandbox; and
// without one the evidence says what is open.
#include "device/worker_client.hpp"
#include "support/files.hpp"
#include "support/sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "candidate_plan.hpp"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace kernelloop {
namespace {

using test::element;
using test::make_tensors;
using test::plan_for;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr const char* k_secret = "kernelloop-escape-secret";

// A port of this machine that answers.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(socket_, 8);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  [[nodiscard]] std::string port() const { return std::to_string(port_); }

 private:
  int socket_;
  int port_ = 0;
};

class Escape : public ::testing::Test {
 protected:
  Escape() {
    // A file of the user's with a key, and a variable whose name tells nothing.
    write_file_atomic(file(), k_secret);
    ::setenv("KERNELLOOP_ESCAPE_FILE", file().c_str(), 1);
    ::setenv("KERNELLOOP_ESCAPE_PORT", listener_.port().c_str(), 1);
    ::setenv("HARMLESS_NAME", k_secret, 1);
  }
  ~Escape() override {
    for (const char* name : {"KERNELLOOP_ESCAPE_FILE", "KERNELLOOP_ESCAPE_PORT", "HARMLESS_NAME",
                             "KERNELLOOP_SANDBOX"}) {
      ::unsetenv(name);
    }
  }

  [[nodiscard]] std::filesystem::path file() const { return home_.path() / "key"; }

  RunResult run(const std::string& attempt, std::size_t memory_limit = 0) {
    Worker worker(WorkerOptions{"cpu", KERNELLOOP_DEVICE_PROGRAM, {}, memory_limit});
    worker.load({DEVICE_FIXTURE_ESCAPES, {attempt}});
    RunRequest request;
    request.arena = &arena_;
    request.plan = plan_for(attempt, 100);
    return worker.run(request);
  }

  // Whether it succeeded; a fault says nothing of that and fails the test.
  bool succeeds(const std::string& attempt) {
    const RunResult result = run(attempt);
    EXPECT_FALSE(result.fault) << attempt << ": " << result.fault.message;
    return element(arena_, "y", 0) != 0.0f;
  }
  [[nodiscard]] int error() const { return static_cast<int>(element(arena_, "y", 1)); }

  TemporaryDirectory home_;
  Listener listener_;
  TensorArena arena_ = make_tensors(100);
};

class ConfinedEscape : public Escape {
 protected:
  void SetUp() override {
    if (!sandbox_problem().empty()) GTEST_SKIP() << sandbox_problem();
  }
};

TEST_F(ConfinedEscape, NoKeyIsInTheEnvironment) { EXPECT_FALSE(succeeds("reads_the_environment")); }

TEST_F(ConfinedEscape, NoKeyIsInProc) { EXPECT_FALSE(succeeds("reads_proc")); }

TEST_F(ConfinedEscape, NoFileOfTheUsersIsThere) {
  EXPECT_FALSE(succeeds("reads_a_file"));
  EXPECT_EQ(error(), ENOENT);
  EXPECT_FALSE(succeeds("follows_a_link"));
  EXPECT_EQ(error(), ENOENT);
}

TEST_F(ConfinedEscape, NothingIsWrittenOutside) {
  EXPECT_FALSE(succeeds("writes_a_file"));
  EXPECT_FALSE(std::filesystem::exists(file().string() + ".written"));
}

TEST_F(ConfinedEscape, TheDiskIsNotFilled) {
  EXPECT_FALSE(succeeds("fills_the_disk"));
  EXPECT_THAT(error(), AnyOf(ENOSPC, EROFS, ENOENT));
}

TEST_F(ConfinedEscape, NobodyElsesMemoryIsRead) {
  EXPECT_FALSE(succeeds("reads_others_memory"));
  EXPECT_EQ(error(), EPERM);
}

// What the filter of system calls forbids, and the watch over memory, hold without a sandbox too.
class AnyEscape : public Escape, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    ::setenv("KERNELLOOP_SANDBOX", GetParam(), 1);
    if (GetParam() == std::string("auto") && !sandbox_problem().empty()) {
      GTEST_SKIP() << sandbox_problem();
    }
  }
};

TEST_P(AnyEscape, NoSocketIsOpened) {
  EXPECT_FALSE(succeeds("opens_a_socket"));
  EXPECT_EQ(error(), EPERM);
}

TEST_P(AnyEscape, NoProcessIsMadeAndNoProgramStarted) {
  EXPECT_FALSE(succeeds("forks"));
  EXPECT_EQ(error(), EPERM);
  EXPECT_FALSE(succeeds("starts_a_program"));
}

TEST_P(AnyEscape, NobodyIsKilled) {
  EXPECT_FALSE(succeeds("kills_others"));
  EXPECT_EQ(error(), EPERM);
}

TEST_P(AnyEscape, MemoryWithoutEndIsACrashThatSaysSo) {
  const RunResult result = run("allocates", std::size_t{200} << 20);
  EXPECT_EQ(result.fault.kind, FaultKind::crash);
  EXPECT_THAT(result.fault.message,
              HasSubstr("the worker was killed: it took more than 200 MiB of memory"));
}

TEST_P(AnyEscape, ThreadsWithoutEndAreACrashThatSaysSo) {
  const RunResult result = run("starts_threads");
  EXPECT_EQ(result.fault.kind, FaultKind::crash);
  EXPECT_THAT(result.fault.message,
              HasSubstr("the worker was killed: it took more than 4096 threads"));
}

INSTANTIATE_TEST_SUITE_P(Modes, AnyEscape, ::testing::Values("auto", "off"),
                         [](const auto& mode) { return std::string(mode.param); });

class OpenEscape : public Escape {
 protected:
  void SetUp() override { ::setenv("KERNELLOOP_SANDBOX", "off", 1); }
};

// Also shows that the attempts above are no duds.
TEST_F(OpenEscape, WhatIsOpenWithoutASandboxIsNamed) {
  EXPECT_TRUE(succeeds("reads_a_file"));
  EXPECT_TRUE(succeeds("follows_a_link"));
  EXPECT_TRUE(succeeds("writes_a_file"));
  EXPECT_TRUE(succeeds("reads_the_environment"));
  EXPECT_TRUE(succeeds("reads_others_memory"));
  EXPECT_TRUE(std::filesystem::exists(file().string() + ".written"));
  Worker worker(WorkerOptions{"cpu", KERNELLOOP_DEVICE_PROGRAM, {}});
  EXPECT_THAT(worker.device().confinement,
              HasSubstr("no bubblewrap (KERNELLOOP_SANDBOX is off): files, network and other "
                        "processes within reach; memory "));
}

}  // namespace
}  // namespace kernelloop
