#include "verify/contained_call.hpp"

#include "support/descriptor.hpp"
#include "support/error.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace kernelloop {
namespace {

using Clock = std::chrono::steady_clock;
constexpr char k_success = '+';
constexpr char k_failure = '-';

[[noreturn]] void become_child(const std::function<std::string()>& body, int report, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(number, SIG_DFL);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  std::string message = body();
  message.insert(message.begin(), message.empty() ? k_success : k_failure);
  [[maybe_unused]] const ssize_t ignored = ::write(report, message.data(), message.size());
  ::_exit(0);
}

// Everything up to end of file; false when the deadline comes first.
bool read_until(int descriptor, Clock::time_point deadline, std::string& text) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd watched{descriptor, POLLIN, 0};
    const int wait = static_cast<int>(std::min<long long>(left, 1000));
    if (::poll(&watched, 1, wait) <= 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("crashed with signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended the process with exit code {}", WEXITSTATUS(status));
}

}  // namespace

std::string contained_call(const std::function<std::string()>& body,
                           std::chrono::milliseconds timeout) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail(ExitCode::environment, "cannot create a pipe: {}", std::strerror(errno));
  }
  Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    fail(ExitCode::environment, "cannot start a process: {}", std::strerror(errno));
  }
  if (child == 0) become_child(body, writer.get(), parent);
  ::setpgid(child, child);  // both sides do it, so that neither can be too early
  writer.reset();

  std::string report;
  const bool ended = read_until(reader.get(), Clock::now() + timeout, report);
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!report.empty() && ended) return report.substr(1);
  if (!ended) {
    return fmt::format("did not end within {:.3g} s", static_cast<double>(timeout.count()) / 1000);
  }
  return end_of(status);
}

}  // namespace kernelloop
