#include "device/device_lock.hpp"

#include "support/error.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace kernelloop {
namespace {

class DeviceLock : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("KERNELLOOP_LOCK_DIR", directory().c_str(), 1);
    device_.uuid = "GPU-1234";
  }
  void TearDown() override { ::unsetenv("KERNELLOOP_LOCK_DIR"); }

  [[nodiscard]] std::filesystem::path directory() const { return parent_.path() / "locks"; }
  [[nodiscard]] std::filesystem::path file() const { return directory() / "gpu-GPU-1234.lock"; }

  // flock tells open files apart, not processes: this is what another process would see.
  [[nodiscard]] bool free() const { return FileLock(file(), FileLock::Wait::try_once).held(); }

  TemporaryDirectory parent_;
  DeviceDescription device_;
};

TEST_F(DeviceLock, IsHeldAsLongAsAnyoneKeepsIt) {
  auto first = lock_device(device_);
  ASSERT_TRUE(first);
  EXPECT_FALSE(free());
  auto second = lock_device(device_);  // does not wait for ourselves
  EXPECT_EQ(first, second);
  first.reset();
  EXPECT_FALSE(free());
  second.reset();
  EXPECT_TRUE(free());
}

TEST_F(DeviceLock, TheDirectoryIsForAllUsers) {
  const auto lock = lock_device(device_);
  struct stat status {};
  ASSERT_EQ(::stat(directory().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 01777u);
}

TEST_F(DeviceLock, TheCpuDeviceNeedsNone) {
  device_.uuid.clear();
  EXPECT_EQ(lock_device(device_), nullptr);
}

TEST_F(DeviceLock, ADirectoryThatCannotBeIsSaid) {
  ::setenv("KERNELLOOP_LOCK_DIR", "/proc/nowhere/locks", 1);
  try {
    lock_device(device_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_NE(std::string(error.what()).find("set KERNELLOOP_LOCK_DIR"), std::string::npos);
  }
}

TEST_F(DeviceLock, ADeadHolderLeavesItFree) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = lock_device(device_);
    ::_exit(lock && lock->held() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(free());
}

}  // namespace
}  // namespace kernelloop
