#include "device/device_lock.hpp"

#include "support/error.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace kernelloop {
namespace {

constexpr std::chrono::milliseconds k_between_tries{5};
// The step before has ended, and its worker's last traces are being cleared away (undertaker.hpp).
constexpr std::chrono::milliseconds k_not_worth_saying{600};

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

std::shared_ptr<DeviceLease> lease_one_of(const std::vector<std::string>& uuids) {
  if (uuids.empty()) return nullptr;
  // flock knows open files, not processes: a second lock of our own would wait for the first.
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::weak_ptr<DeviceLease>> held;
  const std::lock_guard<std::mutex> guard(mutex);
  const std::filesystem::path directory = lock_directory();
  const auto path_of = [&](const std::string& uuid) {
    return directory / ("gpu-" + uuid + ".lock");
  };
  for (const std::string& uuid : uuids) {
    if (std::shared_ptr<DeviceLease> ours = held[path_of(uuid)].lock()) return ours;
  }
  make_shared_directory(directory);
  const auto begin = std::chrono::steady_clock::now();
  for (bool said = false;;) {
    for (const std::string& uuid : uuids) {
      FileLock lock(path_of(uuid), FileLock::Wait::try_once);
      if (!lock.held()) continue;
      auto lease = std::make_shared<DeviceLease>(
          DeviceLease{uuid, std::move(lock), std::chrono::system_clock::now()});
      held[path_of(uuid)] = lease;
      return lease;
    }
    if (!said && std::chrono::steady_clock::now() - begin > k_not_worth_saying) {
      said = true;
      fmt::print(stderr, "waiting for {} ({}), which other steps are using\n",
                 uuids.size() == 1 ? "a GPU" : fmt::format("one of {} GPUs", uuids.size()),
                 path_of(uuids.front()).string());
    }
    // Any of them will do, and nothing tells when the first is free.
    std::this_thread::sleep_for(k_between_tries);
  }
}

}  // namespace kernelloop
