// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace kernelloop {

// What a user can do about a failed write, as the end of a message ("; free some space and build
// again"); empty when there is no telling.
std::string write_remedy(std::error_code error);

// The whole file. Throws Error(io) with the reason when it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Writes beside `path`, syncs, renames. A reader sees the old text or the new one, never a part.
// Throws Error(io); the old file is then untouched and no temporary file is left.
void write_file_atomic(const std::filesystem::path& path, std::string_view content);

// As above, unless the file already holds just this: then its time stamp stays, so that Ninja's
// restat prunes what follows. Returns whether it wrote.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view content);

// Renames a finished directory to its final name, which must not exist: versions are written once.
// Throws Error(io), also when the name is taken.
void publish_directory(const std::filesystem::path& staged,
                       const std::filesystem::path& final_path);

// A directory of its own, removed with all its content when the object goes.
class TemporaryDirectory {
 public:
  // Under `parent`, or under $TMPDIR (/tmp) when that is empty.
  explicit TemporaryDirectory(const std::filesystem::path& parent = {});
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

// An advisory lock on a file (created when missing), held for the object's life and released by the
// kernel when the process dies. Any number may hold it shared, or one exclusively.
class FileLock {
 public:
  enum class Wait { block, try_once };
  enum class Mode { exclusive, shared };

  // Throws Error(io) when the file cannot be opened, or, with try_once, never for a held lock:
  // ask `held()`.
  explicit FileLock(const std::filesystem::path& path, Wait wait = Wait::block,
                    Mode mode = Mode::exclusive);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  [[nodiscard]] bool held() const noexcept { return descriptor_ >= 0; }

  // Of the open file that holds the lock; a copy of it holds the same lock. -1: not held.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

}  // namespace kernelloop
