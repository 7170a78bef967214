#include "support/files.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()));
  }
  TemporaryDirectory directory_;
};

TEST_F(Files, UnchangedContentKeepsItsTimeStamp) {
  const fs::path file = directory_.path() / "deep" / "a.json";
  EXPECT_TRUE(write_file_if_changed(file, "one"));
  const auto stamp = fs::last_write_time(file);
  EXPECT_FALSE(write_file_if_changed(file, "one"));
  EXPECT_EQ(fs::last_write_time(file), stamp);
  EXPECT_TRUE(write_file_if_changed(file, "two"));
  EXPECT_EQ(read_file(file), "two");
}

TEST_F(Files, AFailedWriteLeavesTheOldFileAndNoRest) {
  const fs::path target = directory_.path() / "taken";
  fs::create_directories(target / "child");
  EXPECT_THROW(write_file_atomic(target, "x"), Error);
  EXPECT_TRUE(fs::exists(target / "child"));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, APathThroughAFileIsAnErrorOfTheDisk) {
  try {
    write_file_atomic("/dev/full/x", "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
  }
}

TEST_F(Files, PublishingTwiceIsRefused) {
  const fs::path final_path = directory_.path() / "v001";
  for (const char* name : {"first", "second"}) {
    fs::create_directories(directory_.path() / name);
    write_file_atomic(directory_.path() / name / "kernel.cu", name);
  }
  publish_directory(directory_.path() / "first", final_path);
  EXPECT_THROW(publish_directory(directory_.path() / "second", final_path), Error);
  EXPECT_EQ(read_file(final_path / "kernel.cu"), "first");
}

TEST_F(Files, ALockIsExclusiveAndGoesWithItsOwner) {
  const fs::path path = directory_.path() / "lock";
  {
    const FileLock first(path);
    EXPECT_TRUE(first.held());
    EXPECT_FALSE(FileLock(path, FileLock::Wait::try_once).held());
  }
  EXPECT_TRUE(FileLock(path, FileLock::Wait::try_once).held());
}

TEST_F(Files, ASharedLockKeepsOutOnlyWhoWantsItAlone) {
  const fs::path path = directory_.path() / "lock";
  const auto can = [&](FileLock::Mode mode) {
    return FileLock(path, FileLock::Wait::try_once, mode).held();
  };
  {
    const FileLock first(path, FileLock::Wait::block, FileLock::Mode::shared);
    EXPECT_TRUE(can(FileLock::Mode::shared));
    EXPECT_FALSE(can(FileLock::Mode::exclusive));
  }
  const FileLock alone(path);
  EXPECT_FALSE(can(FileLock::Mode::shared));
}

}  // namespace
}  // namespace kernelloop
