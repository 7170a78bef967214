// Both sides of a call that is contained in a forked child, whoever forked it: what the child does,
// and what its caller makes of its end.
#pragma once

#include "support/descriptor.hpp"
#include "support/pipe.hpp"

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace kernelloop {

// Through which a child tells its result, and what it prints.
struct CallPipes {
  Pipe report;
  Pipe output;
};
// Throws Error(environment).
CallPipes make_call_pipes();

// The child: a process group of its own, which goes with `parent` and has no open files but
// standard input and these. Runs `body` and sends what it returns.
[[noreturn]] void become_contained(const std::function<std::string()>& body, int report, int output,
                                   pid_t parent);

// The caller, whose write ends are closed: waits for the result of `child`, which nobody may have
// waited for before. `bury` kills what is left of its process group and returns how it ended, as
// waitpid has it. Returns what contained_call does.
std::string await_contained(pid_t child, CallPipes& pipes, std::chrono::milliseconds timeout,
                            const std::function<int()>& bury);

// What `bury` does for a child of this process.
int kill_and_wait(pid_t child) noexcept;

}  // namespace kernelloop
