// One user of a GPU at a time, across users, builds and processes of this host; or several that are
// content with a part of it.
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

// Whom a step lets use its device meanwhile.
enum class Company {
  none,     // whoever times
  sharers,  // others that share it too
};

// A device that nobody else uses meanwhile but company that was agreed to.
struct DeviceLease {
  std::string uuid;
  FileLock lock;
  std::chrono::system_clock::time_point since;
  Company company = Company::none;
};

// One of these devices, the first that is free; one that this process has already comes before all,
// since several workers of one process share it. Who shares takes an idle one where there is one,
// and joins nobody where a step waits to have the device alone. While all are in use it waits for
// any, and says so on standard error after a while. It is held as long as anyone in this process
// keeps the result. nullptr for no devices. Throws Error(io).
std::shared_ptr<DeviceLease> lease_one_of(const std::vector<std::string>& uuids,
                                          Company company = Company::none);

}  // namespace kernelloop
