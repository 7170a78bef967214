// Errors of the infrastructure: what was wrong, where, and what to do about it.
//
// A bad *candidate* is never an error here; it is a verdict (a value). `Error` is for everything
// that stops a step: a broken spec, a missing driver, a full disk, a refused connection.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace kernelloop {

// The exit codes of `kernelloop` and `kernelloop-device` (documented in docs/exit-codes.md).
enum class ExitCode : int {
  ok = 0,            // the step did its work; a bad candidate is still 0
  check_failed = 1,  // a gate (test, provenance, performance) says no
  usage = 2,         // wrong command line
  bad_input = 3,     // op spec, launch plan, reference or another input file is wrong
  environment = 4,   // no driver, no compiler, no device, a missing tool
  io = 5,            // disk full, read-only tree, lock not to be had
  provider = 6,      // network, authentication, budget: no proposal could be had
  waiting = 7,       // the manual provider waits for a person or agent to write a version
  unreachable = 8,   // a launcher found no machine to run the step on
  internal = 70,     // a bug of ours
  skipped = 77,      // a test that cannot run here (CTest SKIP_RETURN_CODE)
  interrupted = 130,
};

// Carries one line for the user and the exit code of the process that reports it.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

// Throws an Error with a formatted message.
template <typename... Args>
[[noreturn]] void fail(ExitCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace kernelloop
