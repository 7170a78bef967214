// What a worker may see and use.
#pragma once

#include "device/system_call_filter.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

// The variables of a worker: ours without secrets, without what makes the loader or the driver load
// or write something (LD_PRELOAD, injection, core dumps), and with what measuring needs (eager
// module loading, no JIT cache). `preload` are sanitizer runtimes that a module is built with.
std::vector<std::string> worker_environment(const std::vector<std::string>& preload);

// The same for a worker in a sandbox: of our variables only those that programs of a GPU read, none
// of which tells of people.
std::vector<std::string> confined_environment();

// What a process needs in its environment for sanitizer runtimes to be loaded into it and to say
// what they find as we read it. Empty without any.
std::map<std::string, std::string> preload_variables(const std::vector<std::string>& preload);

// Whether one of these runtimes starts a program to name places in the source: clang's does.
bool needs_programs(const std::vector<std::string>& preload);

// Limits of this process from here on: no core dumps, few files, no big files. Async-signal-safe.
void limit_worker() noexcept;

// The same for a worker that a tool watches: room for the tool's own files.
void limit_watched_worker() noexcept;

// No program that this process starts gains privileges any more. Not before the GPU's driver is
// initialised: on some hosts it calls a set-user-id helper that loads kernel modules.
void renounce_privileges() noexcept;

// What of it holds for this process, in words: "own process group; no new privileges; ...".
// `filter` is what system_call_filter.hpp was asked for, if it could do it.
std::string confinement(std::optional<OtherPrograms> filter);

}  // namespace kernelloop
