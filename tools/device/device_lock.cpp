#include "device/device_lock.hpp"

#include "support/error.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace kernelloop {
namespace {

void make_shared_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory.parent_path(), error);
  if (::mkdir(directory.c_str(), 0777) == 0) {
    ::chmod(directory.c_str(), 01777);  // past the umask: other users lock here too
    return;
  }
  if (errno != EEXIST || !std::filesystem::is_directory(directory, error)) {
    fail(ExitCode::io,
         "cannot create the lock directory {}: {}; set KERNELLOOP_LOCK_DIR to a directory that all "
         "users of the GPU can write",
         directory.string(), std::strerror(errno));
  }
}

}  // namespace

std::filesystem::path lock_directory() {
  const char* chosen = std::getenv("KERNELLOOP_LOCK_DIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp/kernelloop-locks";
}

std::shared_ptr<FileLock> lock_device(const DeviceDescription& device) {
  if (device.uuid.empty()) return nullptr;
  // flock knows open files, not processes: a second lock of our own would wait for the first.
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::weak_ptr<FileLock>> held;
  const std::lock_guard<std::mutex> guard(mutex);
  const std::filesystem::path directory = lock_directory();
  const std::filesystem::path path = directory / ("gpu-" + device.uuid + ".lock");
  if (std::shared_ptr<FileLock> ours = held[path].lock()) return ours;
  make_shared_directory(directory);
  auto lock = std::make_shared<FileLock>(path, FileLock::Wait::try_once);
  if (!lock->held()) {
    fmt::print(stderr, "waiting for {} ({}), which another step is using\n", device.name,
               path.string());
    lock = std::make_shared<FileLock>(path, FileLock::Wait::block);
  }
  held[path] = lock;
  return lock;
}

}  // namespace kernelloop
