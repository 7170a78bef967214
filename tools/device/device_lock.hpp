// One user of a GPU at a time, across users, builds and processes of this host.
#pragma once

#include "device/worker_client.hpp"
#include "support/files.hpp"

#include <memory>

namespace kernelloop {

// Where the lock files are: $KERNELLOOP_LOCK_DIR, or /tmp/kernelloop-locks. The directory belongs
// to all users; $XDG_RUNTIME_DIR is not used, since it would let two users measure at once.
std::filesystem::path lock_directory();

// Holds the lock of the device with this UUID as long as anyone in this process keeps the result;
// several workers of one process share it. Waits, and says so on standard error after a while.
// nullptr for a device without a UUID (the CPU device may be shared). Throws Error(io).
std::shared_ptr<FileLock> lock_device(const DeviceDescription& device);

}  // namespace kernelloop
