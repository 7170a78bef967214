#include "verify/contained_child.hpp"

#include "support/descriptor.hpp"
#include "support/error.hpp"
#include "support/output_tail.hpp"
#include "support/process_tree.hpp"

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
#include <cstdio>
#include <cstring>

namespace kernelloop {
namespace {

using Clock = std::chrono::steady_clock;
constexpr char k_success = '+';
constexpr char k_failure = '-';
constexpr int k_report_in_child = 3;

// Everything up to the end of the report; false when the deadline comes first.
bool read_until(int report, int output, Clock::time_point deadline, std::string& text,
                OutputTail& tail) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 2> watched{{{report, POLLIN, 0}, {output, POLLIN, 0}}};
    const int wait = static_cast<int>(std::min<long long>(left, 1000));
    if (::poll(watched.data(), watched.size(), wait) <= 0) continue;
    if (watched[1].revents != 0 && !tail.drain(output)) output = -1;
    if (watched[0].revents == 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(report, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

// So that who writes a reference can look into it by printing.
void pass_on(const OutputTail& output) {
  constexpr std::size_t k_passed_bytes = 4096;
  const std::string& text = output.text();
  const std::size_t size = std::min(text.size(), k_passed_bytes);
  if (output.bytes() > size) fmt::print(stderr, "({} bytes left out)\n", output.bytes() - size);
  if (size > 0) fmt::print(stderr, "{}", text.substr(text.size() - size));
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("crashed with signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended the process with exit code {}", WEXITSTATUS(status));
}

}  // namespace

CallPipes make_call_pipes() {
  return {make_output_pipe(ExitCode::environment), make_output_pipe(ExitCode::environment)};
}

[[noreturn]] void become_contained(const std::function<std::string()>& body, int report, int output,
                                   pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(number, SIG_DFL);
  // Nobody who waits for the end of a pipe of another thread's shall wait for this process.
  const std::array<int, 4> kept{STDIN_FILENO, output, output, report};
  static_assert(kept.size() == k_report_in_child + 1);
  keep_only(kept.data(), kept.size());
  std::string message = body();
  std::fflush(stdout);
  message.insert(message.begin(), message.empty() ? k_success : k_failure);
  [[maybe_unused]] const ssize_t ignored =
      ::write(k_report_in_child, message.data(), message.size());
  ::_exit(0);
}

std::string await_contained(pid_t child, CallPipes& pipes, std::chrono::milliseconds timeout,
                            const std::function<int()>& bury) {
  std::string text;
  OutputTail tail;
  const bool ended = read_until(pipes.report.read.get(), pipes.output.read.get(),
                                Clock::now() + timeout, text, tail);
  const std::string threads = ended ? std::string() : threads_text(child);
  const int status = bury();
  tail.drain(pipes.output.read.get());
  if (text == std::string(1, k_success) && ended) {
    pass_on(tail);
    return {};
  }
  std::string problem = text.substr(std::min<std::size_t>(text.size(), 1));
  if (!ended) {
    problem =
        fmt::format("did not end within {:.3g} s", static_cast<double>(timeout.count()) / 1000);
    if (!threads.empty()) problem += fmt::format(" ({})", threads);
  } else if (text.empty()) {
    problem = end_of(status);
  }
  return problem + printed(tail.text());
}

int kill_and_wait(pid_t child) noexcept {
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace kernelloop
