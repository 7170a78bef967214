#include "device/device_lock.hpp"

#include "support/error.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

class DeviceLock : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("KERNELLOOP_LOCK_DIR", directory().c_str(), 1); }
  void TearDown() override { ::unsetenv("KERNELLOOP_LOCK_DIR"); }

  [[nodiscard]] std::filesystem::path directory() const { return parent_.path() / "locks"; }
  [[nodiscard]] std::filesystem::path file(const std::string& uuid = "GPU-1234") const {
    return directory() / ("gpu-" + uuid + ".lock");
  }

  // flock tells open files apart, not processes: this is what another process would see.
  [[nodiscard]] bool free(const std::string& uuid = "GPU-1234") const {
    return FileLock(file(uuid), FileLock::Wait::try_once).held();
  }

  // Another process's.
  [[nodiscard]] std::unique_ptr<FileLock> take(const std::string& uuid) const {
    std::filesystem::create_directories(directory());
    auto lock = std::make_unique<FileLock>(file(uuid), FileLock::Wait::try_once);
    EXPECT_TRUE(lock->held());
    return lock;
  }

  TemporaryDirectory parent_;
};

TEST_F(DeviceLock, IsHeldAsLongAsAnyoneKeepsIt) {
  auto first = lease_one_of({"GPU-1234"});
  ASSERT_TRUE(first);
  EXPECT_FALSE(free());
  auto second = lease_one_of({"GPU-1234"});  // does not wait for ourselves
  EXPECT_EQ(first, second);
  first.reset();
  EXPECT_FALSE(free());
  second.reset();
  EXPECT_TRUE(free());
}

TEST_F(DeviceLock, TheDirectoryIsForAllUsers) {
  const auto lock = lease_one_of({"GPU-1234"});
  struct stat status {};
  ASSERT_EQ(::stat(directory().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 01777u);
}

TEST_F(DeviceLock, WithoutDevicesThereIsNone) { EXPECT_EQ(lease_one_of({}), nullptr); }

TEST_F(DeviceLock, TheFirstThatIsFreeIsTaken) {
  const auto other = take("A");
  const auto lease = lease_one_of({"A", "B", "C"});
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->uuid, "B");
  EXPECT_FALSE(free("B"));
  EXPECT_TRUE(free("C"));
}

TEST_F(DeviceLock, OneOfOursComesFirst) {
  const auto first = lease_one_of({"B"});
  const auto second = lease_one_of({"A", "B"});
  EXPECT_EQ(first, second);
  EXPECT_TRUE(free("A"));
}

TEST_F(DeviceLock, WhileAllAreInUseItWaitsForAnyAndSaysSo) {
  const auto first = take("A");
  auto second = take("B");
  ::testing::internal::CaptureStderr();
  auto waiting = std::async(std::launch::async, [] { return lease_one_of({"A", "B"}); });
  // The other goes on while the first of them stays in use.
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(1000)), std::future_status::timeout);
  second.reset();
  EXPECT_EQ(waiting.get()->uuid, "B");
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("waiting for one of 2 GPUs"), std::string::npos) << said;
  EXPECT_NE(said.find("gpu-A.lock), which other steps are using"), std::string::npos) << said;
}

TEST_F(DeviceLock, SharersHaveADeviceTogetherAndNobodyElseDoes) {
  const auto lease = lease_one_of({"A"}, Company::sharers);
  EXPECT_FALSE(free("A"));
  EXPECT_TRUE(FileLock(file("A"), FileLock::Wait::try_once, FileLock::Mode::shared).held());
  EXPECT_EQ(lease_one_of({"A"}, Company::sharers), lease);
}

TEST_F(DeviceLock, SharersJoinOthersWhereNoDeviceIsIdle) {
  const auto alone = take("A");
  std::filesystem::create_directories(directory());
  FileLock sharer(file("B"), FileLock::Wait::try_once, FileLock::Mode::shared);
  {
    FileLock other(file("C"), FileLock::Wait::try_once, FileLock::Mode::shared);
    EXPECT_EQ(lease_one_of({"A", "B", "C", "D"}, Company::sharers)->uuid, "D");
  }
  EXPECT_EQ(lease_one_of({"A", "B"}, Company::sharers)->uuid, "B");
}

TEST_F(DeviceLock, NobodyJoinsSharersWhileAStepWaitsToHaveTheDeviceAlone) {
  std::filesystem::create_directories(directory());
  auto sharer =
      std::make_unique<FileLock>(file("A"), FileLock::Wait::try_once, FileLock::Mode::shared);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(sharer->descriptor());  // its copy would hold the lock, too
    ::_exit(lease_one_of({"A"})->uuid == "A" ? 0 : 1);
  }
  const auto turn_is_free = [&] {
    return FileLock(directory() / "gpu-A.turn", FileLock::Wait::try_once, FileLock::Mode::shared)
        .held();
  };
  while (turn_is_free()) ::usleep(1000);
  auto late = std::async(std::launch::async, [] { return lease_one_of({"A"}, Company::sharers); });
  EXPECT_EQ(late.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  sharer.reset();
  EXPECT_EQ(late.get()->uuid, "A");
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(DeviceLock, WhoSharesADeviceCannotHaveItAlone) {
  const auto lease = lease_one_of({"A"}, Company::sharers);
  try {
    lease_one_of({"A"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::internal);
    EXPECT_STREQ(error.what(), "a step that shares A cannot have it alone");
  }
}

// Four processes and two devices: each device is one's alone at any time.
TEST_F(DeviceLock, NoTwoProcessesHaveOneDevice) {
  const std::filesystem::path record = parent_.path() / "record";
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    bool alone = true;
    for (int turn = 0; turn < 25; ++turn) {
      const auto lease = lease_one_of({"A", "B"});
      const std::filesystem::path mark = record.string() + lease->uuid;
      // A directory can be made once.
      alone = ::mkdir(mark.c_str(), 0700) == 0 && alone;
      ::usleep(500);
      ::rmdir(mark.c_str());
    }
    ::_exit(alone ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(DeviceLock, ADirectoryThatCannotBeIsSaid) {
  ::setenv("KERNELLOOP_LOCK_DIR", "/proc/nowhere/locks", 1);
  try {
    lease_one_of({"GPU-1234"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_NE(std::string(error.what()).find("set KERNELLOOP_LOCK_DIR"), std::string::npos);
  }
}

TEST_F(DeviceLock, ADeadHolderLeavesItFree) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = lease_one_of({"GPU-1234"});
    ::_exit(lock && lock->lock.held() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(free());
}

}  // namespace
}  // namespace kernelloop
