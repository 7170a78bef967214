#include "support/files.hpp"

#include "support/error.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace kernelloop {

std::string write_remedy(std::error_code error) {
  if (error == std::errc::no_space_on_device || error.value() == EDQUOT) {
    return "; free some space and build again";
  }
  if (error == std::errc::read_only_file_system || error == std::errc::permission_denied) {
    return "; make it writable or point KERNELLOOP_GENERATED_DIR elsewhere";
  }
  return "";
}

namespace {

[[noreturn]] void fail_io(const char* what, const std::filesystem::path& path, int error) {
  fail(ExitCode::io, "cannot {} {}: {}{}", what, path.string(), std::strerror(error),
       write_remedy({error, std::generic_category()}));
}

// Closes (and, unless told otherwise, deletes) a temporary file on every way out.
class StagedFile {
 public:
  explicit StagedFile(const std::filesystem::path& target) {
    name_ = target.string() + ".tmp-XXXXXX";
    descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail_io("write", target, errno);
  }
  ~StagedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  void write(std::string_view content, const std::filesystem::path& target) const {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_io("write", target, errno);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fchmod(descriptor_, 0644) != 0 || ::fsync(descriptor_) != 0) {
      fail_io("write", target, errno);
    }
  }

  void commit(const std::filesystem::path& target) {
    if (::rename(name_.c_str(), target.c_str()) != 0) fail_io("write", target, errno);
    name_.clear();
  }

 private:
  std::string name_;
  int descriptor_ = -1;
};

void create_parent(const std::filesystem::path& path) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) fail_io("create the directory of", path, error.value());
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail_io("read", path, errno);
  std::ostringstream content;
  content << stream.rdbuf();
  if (stream.bad()) fail_io("read", path, errno);
  return std::move(content).str();
}

void write_file_atomic(const std::filesystem::path& path, std::string_view content) {
  create_parent(path);
  StagedFile staged(path);
  staged.write(content, path);
  staged.commit(path);
}

bool write_file_if_changed(const std::filesystem::path& path, std::string_view content) {
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) == content.size() && read_file(path) == content) {
    return false;
  }
  write_file_atomic(path, content);
  return true;
}

void publish_directory(const std::filesystem::path& staged,
                       const std::filesystem::path& final_path) {
  create_parent(final_path);
  // renameat2 is called by number: glibc's wrapper is younger than the systems we build on.
  if (::syscall(SYS_renameat2, AT_FDCWD, staged.c_str(), AT_FDCWD, final_path.c_str(),
                RENAME_NOREPLACE) == 0) {
    return;
  }
  const int reason = errno;
  if (reason == EEXIST || reason == ENOTEMPTY) {
    fail(ExitCode::io, "{} exists already; versions are written once", final_path.string());
  }
  // File systems without RENAME_NOREPLACE: plain rename refuses a directory that is not empty.
  if ((reason != EINVAL && reason != ENOSYS) || ::rename(staged.c_str(), final_path.c_str()) != 0) {
    fail_io("create", final_path, reason);
  }
}

TemporaryDirectory::TemporaryDirectory(const std::filesystem::path& parent) {
  std::filesystem::path base = parent;
  if (base.empty()) {
    const char* from_environment = std::getenv("TMPDIR");
    base = from_environment != nullptr && *from_environment != '\0' ? from_environment : "/tmp";
  }
  std::error_code error;
  std::filesystem::create_directories(base, error);
  std::string name = (base / "kernelloop-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) fail_io("create a directory in", base, errno);
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

FileLock::FileLock(const std::filesystem::path& path, Wait wait, Mode mode) {
  create_parent(path);
  // O_CREAT only when it is missing: in a sticky directory the kernel may refuse O_CREAT on a file
  // of another user. flock needs no write permission either.
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0 && errno == EACCES) descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0 && errno == ENOENT) {
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) fail_io("lock", path, errno);
  const int operation =
      (mode == Mode::shared ? LOCK_SH : LOCK_EX) | (wait == Wait::try_once ? LOCK_NB : 0);
  int result = 0;
  do {
    result = ::flock(descriptor_, operation);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return;
  const int reason = errno;
  ::close(std::exchange(descriptor_, -1));
  if (reason != EWOULDBLOCK) fail_io("lock", path, reason);
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

}  // namespace kernelloop
