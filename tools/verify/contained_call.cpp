#include "verify/contained_call.hpp"

#include "support/error.hpp"
#include "support/loader_lock.hpp"
#include "verify/contained_child.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace kernelloop {

std::string contained_call(const std::function<std::string()>& body,
                           std::chrono::milliseconds timeout) {
  CallPipes pipes = make_call_pipes();
  const pid_t parent = ::getpid();
  std::fflush(nullptr);  // lest the child print what waits here
  std::unique_lock<std::mutex> lock(loader_mutex());
  const pid_t child = ::fork();
  lock.unlock();
  if (child < 0) {
    fail(ExitCode::environment, "cannot start a process: {}", std::strerror(errno));
  }
  if (child == 0) {
    become_contained(body, pipes.report.write.get(), pipes.output.write.get(), parent);
  }
  ::setpgid(child, child);  // both sides do it, so that neither can be too early
  pipes.report.write.reset();
  pipes.output.write.reset();
  return await_contained(child, pipes, timeout, [child] { return kill_and_wait(child); });
}

}  // namespace kernelloop
