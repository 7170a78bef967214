#include "device/device_lock.hpp"

#include "support/error.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
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

using Paths = std::vector<std::filesystem::path>;

// Held by a step that waits to have the device alone: nobody joins those that share it, who would
// else never all be gone.
std::filesystem::path turn_of(const std::filesystem::path& lock) {
  return std::filesystem::path(lock).replace_extension(".turn");
}

struct Taken {
  std::size_t number;
  FileLock lock;
};

// Alone on the first that is free. Else `turns` keeps what makes others wait.
std::optional<Taken> try_alone(const Paths& paths, std::map<std::size_t, FileLock>& turns) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    FileLock lock(paths[i], FileLock::Wait::try_once);
    if (lock.held()) return Taken{i, std::move(lock)};
    if (turns.count(i) != 0) continue;
    FileLock turn(turn_of(paths[i]), FileLock::Wait::try_once);
    if (turn.held()) turns.emplace(i, std::move(turn));
  }
  return std::nullopt;
}

std::optional<Taken> try_to_join(const Paths& paths) {
  const auto join = [&](std::size_t i) -> std::optional<Taken> {
    const FileLock turn(turn_of(paths[i]), FileLock::Wait::try_once, FileLock::Mode::shared);
    if (!turn.held()) return std::nullopt;
    FileLock lock(paths[i], FileLock::Wait::try_once, FileLock::Mode::shared);
    if (!lock.held()) return std::nullopt;
    return Taken{i, std::move(lock)};
  };
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!FileLock(paths[i], FileLock::Wait::try_once).held()) continue;  // somebody is there
    if (auto taken = join(i)) return taken;
  }
  // All have somebody: not every step shall join the same.
  const auto first = static_cast<std::size_t>(::getpid());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (auto taken = join((first + i) % paths.size())) return taken;
  }
  return std::nullopt;
}

}  // namespace

std::filesystem::path lock_directory() {
  const char* chosen = std::getenv("KERNELLOOP_LOCK_DIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp/kernelloop-locks";
}

std::shared_ptr<DeviceLease> lease_one_of(const std::vector<std::string>& uuids, Company company) {
  if (uuids.empty()) return nullptr;
  // flock knows open files, not processes: a second lock of our own would wait for the first.
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::weak_ptr<DeviceLease>> held;
  const std::lock_guard<std::mutex> guard(mutex);
  Paths paths;
  for (const std::string& uuid : uuids) {
    paths.push_back(lock_directory() / ("gpu-" + uuid + ".lock"));
    std::shared_ptr<DeviceLease> ours = held[paths.back()].lock();
    if (!ours) continue;
    if (company == Company::none && ours->company != company) {
      fail(ExitCode::internal, "a step that shares {} cannot have it alone", uuid);
    }
    return ours;
  }
  make_shared_directory(lock_directory());
  const auto begin = std::chrono::steady_clock::now();
  std::map<std::size_t, FileLock> turns;
  for (bool said = false;;) {
    auto taken = company == Company::none ? try_alone(paths, turns) : try_to_join(paths);
    if (taken) {
      const std::size_t number = taken->number;
      auto lease = std::make_shared<DeviceLease>(DeviceLease{
          uuids[number], std::move(taken->lock), std::chrono::system_clock::now(), company});
      held[paths[number]] = lease;
      return lease;
    }
    if (!said && std::chrono::steady_clock::now() - begin > k_not_worth_saying) {
      said = true;
      fmt::print(stderr, "waiting for {} ({}), which other steps are using\n",
                 uuids.size() == 1 ? "a GPU" : fmt::format("one of {} GPUs", uuids.size()),
                 paths.front().string());
    }
    // Any of them will do, and nothing tells when the first is free.
    std::this_thread::sleep_for(k_between_tries);
  }
}

}  // namespace kernelloop
