// What a worker may see and use.
#pragma once

#include <string>
#include <vector>

namespace kernelloop {

// The variables of a worker: ours without secrets, without what makes the loader or the driver load
// or write something (LD_PRELOAD, injection, core dumps), and with what measuring needs (eager
// module loading, no JIT cache). `preload` are sanitizer runtimes that a module is built with.
std::vector<std::string> worker_environment(const std::vector<std::string>& preload);

// Limits of this process from here on: no core dumps, few files, no big files. Async-signal-safe.
void limit_worker() noexcept;

// The same for a worker that a tool watches: room for the tool's own files.
void limit_watched_worker() noexcept;

// No program that this process starts gains privileges any more. Not before the GPU's driver is
// initialised: on some hosts it calls a set-user-id helper that loads kernel modules.
void renounce_privileges() noexcept;

// What of it holds for this process, in words: "own process group; no new privileges; ...".
std::string confinement();

}  // namespace kernelloop
