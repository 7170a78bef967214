// One user of a GPU at a time, across users, builds and processes of this host.
#pragma once

#include "support/files.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace kernelloop {

// Where the lock files are: $KERNELLOOP_LOCK_DIR, or /tmp/kernelloop-locks. The directory belongs
// to all users; $XDG_RUNTIME_DIR is not used, since it would let two users measure at once.
std::filesystem::path lock_directory();

// A device that nobody else uses meanwhile.
struct DeviceLease {
  std::string uuid;
  FileLock lock;
  std::chrono::system_clock::time_point since;
};

// One of these devices, the first that is free; one that this process has already comes before all,
// since several workers of one process share it. While all are in use it waits for any, and says so
// on standard error after a while. It is held as long as anyone in this process keeps the result.
// nullptr for no devices. Throws Error(io).
std::shared_ptr<DeviceLease> lease_one_of(const std::vector<std::string>& uuids);

}  // namespace kernelloop
