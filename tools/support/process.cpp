#include "support/process.hpp"

#include "support/control_group.hpp"
#include "support/error.hpp"
#include "support/pipe.hpp"
#include "support/process_tree.hpp"
#include "support/secret_environment.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace kernelloop {
namespace {

using Clock = std::chrono::steady_clock;

// While it lives, SIGINT and SIGTERM arrive as bytes to poll for instead of killing us, so that the
// child's group can be taken along. SIGPIPE is off: a child may close its input early.
class SignalWatch {
 public:
  SignalWatch() {
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGINT);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGHUP);
    descriptor_ = Descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    sigaddset(&watched, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &watched, &previous_);
  }
  ~SignalWatch() { restore(); }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
  [[nodiscard]] const sigset_t& previous() const noexcept { return previous_; }

  // Dies of the signal that arrived, as the caller's parent expects.
  [[noreturn]] void rethrow() {
    signalfd_siginfo info{};
    const ssize_t got = ::read(descriptor_.get(), &info, sizeof info);
    restore();
    const int number = got == sizeof info ? static_cast<int>(info.ssi_signo) : SIGINT;
    ::signal(number, SIG_DFL);
    ::raise(number);
    std::_Exit(128 + number);
  }

 private:
  void restore() {
    sigset_t pipe_only;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    const timespec no_wait{0, 0};
    while (::sigtimedwait(&pipe_only, nullptr, &no_wait) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
  }

  Descriptor descriptor_;
  sigset_t previous_{};
};

std::vector<std::string> child_environment(const Command& command) {
  std::vector<std::string> result;
  for (char** entry = environ; command.inherit_variables && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    if (command.variables.count(name) != 0) continue;
    if (command.scrub_secrets && is_secret_name(name)) continue;
    result.emplace_back(text);
  }
  for (const auto& [name, value] : command.variables) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

void limit_to(decltype(RLIMIT_AS) resource, std::size_t most) {
  if (most == 0) return;
  const rlimit limit{most, most};
  ::setrlimit(resource, &limit);
}

// Only async-signal-safe calls between fork and exec.
[[noreturn]] void become(const Command& command, const char* program, char** arguments,
                         char** environment, int in, int out, int err, int report, int entrance,
                         const sigset_t& mask) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (command.cpu_limit.count() > 0) {
    const auto seconds = static_cast<rlim_t>(command.cpu_limit.count());
    const rlimit limit{seconds, seconds + 5};  // SIGKILL for those that ignore the first signal
    ::setrlimit(RLIMIT_CPU, &limit);
  }
  limit_to(RLIMIT_AS, command.memory_limit);
  limit_to(RLIMIT_FSIZE, command.file_limit);
  const bool joined = entrance < 0 || join_control_group(entrance);
  if (joined && (command.directory.empty() || ::chdir(command.directory.c_str()) == 0)) {
    ::execve(program, arguments, environment);
  }
  const int reason = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(report, &reason, sizeof reason);
  ::_exit(127);
}

// Reads what is there; keeps up to the limit. Closes the descriptor at end of file.
void drain(Descriptor& source, std::string& kept, std::size_t limit, bool& truncated) {
  std::array<char, 65536> buffer{};
  const ssize_t got = ::read(source.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    source.reset();
    return;
  }
  const std::size_t room = limit - std::min(limit, kept.size());
  kept.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  truncated = truncated || static_cast<std::size_t>(got) > room;
}

void feed(Descriptor& sink, std::string_view& pending) {
  const ssize_t sent = pending.empty() ? 0 : ::write(sink.get(), pending.data(), pending.size());
  if (sent < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (sent < 0) pending = {};
  if (sent > 0) pending.remove_prefix(static_cast<std::size_t>(sent));
  if (pending.empty()) sink.reset();
}

std::string memory_excess(const Command& command) {
  return fmt::format("more than {} MiB of memory", command.most_memory >> 20);
}

// Looks after Command::most_processes, most_threads and most_memory.
class TreeWatch {
 public:
  TreeWatch(const Command& command, pid_t child) : command_(command), child_(child) {}

  // What is too much; empty when nothing is, or when it is not yet time to look again.
  std::string excess() {
    if (command_.most_processes == 0 && command_.most_threads == 0 && command_.most_memory == 0) {
      return {};
    }
    if (Clock::now() < next_) return {};
    const std::size_t most = command_.most_processes == 0 ? k_counted : command_.most_processes;
    const ProcessTree tree = process_tree(child_, most);
    // From its end, so that a large tree does not keep us from everything else.
    next_ = Clock::now() + std::chrono::milliseconds(100);
    if (command_.most_processes > 0 && tree.processes > most) {
      return fmt::format("more than {} processes at once", most);
    }
    if (command_.most_threads > 0 && tree.threads > command_.most_threads) {
      return fmt::format("more than {} threads at once", command_.most_threads);
    }
    if (command_.most_memory > 0 && tree.memory > command_.most_memory) {
      return memory_excess(command_);
    }
    return {};
  }

 private:
  static constexpr std::size_t k_counted = 4096;

  const Command& command_;
  pid_t child_;
  Clock::time_point next_{};
};

int milliseconds_until(Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 3'600'000));
}

}  // namespace

std::string ProcessResult::describe() const {
  if (!excess.empty()) return fmt::format("killed for {}", excess);
  if (timed_out) return fmt::format("timed out after {:.0f} s", wall.count() / 1000.0);
  if (signal != 0) return fmt::format("killed by signal {} ({})", signal, ::strsignal(signal));
  return fmt::format("exit code {}", exit_code);
}

ProcessResult run(const Command& command) {
  const std::filesystem::path program = find_program(command.arguments.at(0));
  if (program.empty()) {
    fail(ExitCode::environment, "cannot find the program '{}' in PATH", command.arguments[0]);
  }
  std::vector<std::string> argument_texts = command.arguments;
  std::vector<std::string> environment_texts = child_environment(command);
  const std::vector<char*> arguments = pointers(argument_texts);
  const std::vector<char*> environment = pointers(environment_texts);
  Pipe in = make_pipe(ExitCode::io);
  Pipe out = make_pipe(ExitCode::io);
  Pipe err = make_pipe(ExitCode::io);
  Pipe report = make_pipe(ExitCode::io);
  SignalWatch watch;

  std::unique_ptr<ControlGroup> group;
  if (command.most_memory > 0) {
    group = ControlGroup::make_limited(command.most_memory, command.most_threads);
  }
  const int entrance = group ? group->entrance() : -1;

  const Clock::time_point start = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) {
    fail(ExitCode::environment, "cannot start {}: {}", program.string(), std::strerror(errno));
  }
  if (child == 0) {
    become(command, program.c_str(), const_cast<char**>(arguments.data()),
           const_cast<char**>(environment.data()), in.read.get(), out.write.get(), err.write.get(),
           report.write.get(), entrance, watch.previous());
  }
  ::setpgid(child, child);  // both sides do it, so that neither can be too early
  in.read.reset();
  out.write.reset();
  err.write.reset();
  report.write.reset();
  ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);

  int start_error = 0;
  if (::read(report.read.get(), &start_error, sizeof start_error) == sizeof start_error) {
    ::waitpid(child, nullptr, 0);
    fail(ExitCode::environment, "cannot start {}: {}", program.string(),
         std::strerror(start_error));
  }

  ProcessResult result;
  std::string_view pending = command.input;
  const Clock::time_point deadline = start + command.timeout;
  Clock::time_point settled = deadline;  // when a child that has said all is to be gone
  int status = 0;
  bool reaped = false;
  TreeWatch tree(command, child);
  // A grandchild may hold the pipes open after the child is gone: then we stop reading soon after.
  Clock::time_point grace = deadline;
  while (!reaped || out.read.open() || err.read.open()) {
    if (!reaped && ::waitpid(child, &status, WNOHANG) == child) {
      reaped = true;
      grace = Clock::now() + std::chrono::milliseconds(200);
    }
    std::array<pollfd, 4> watched{{{out.read.get(), POLLIN, 0},
                                   {err.read.get(), POLLIN, 0},
                                   {in.write.get(), POLLOUT, 0},
                                   {watch.descriptor(), POLLIN, 0}}};
    const int wait = std::min(milliseconds_until(reaped ? grace : deadline),
                              !out.read.open() && !err.read.open() ? 2 : 50);
    ::poll(watched.data(), watched.size(), wait);
    if ((watched[3].revents & POLLIN) != 0) {
      ::kill(-child, SIGKILL);
      if (!reaped) ::waitpid(child, nullptr, 0);
      watch.rethrow();
    }
    if (watched[0].revents != 0) {
      const std::size_t before = result.output.size();
      drain(out.read, result.output, command.output_limit, result.output_truncated);
      if (command.is_complete && result.output.size() != before) {
        settled = command.is_complete(result.output) ? Clock::now() + command.grace : deadline;
      }
    }
    if (watched[1].revents != 0)
      drain(err.read, result.error_output, command.output_limit, result.output_truncated);
    if (watched[2].revents != 0) feed(in.write, pending);
    if (!reaped) result.excess = tree.excess();
    if (!reaped && (!result.excess.empty() || Clock::now() >= std::min(deadline, settled))) {
      result.timed_out = result.excess.empty() && Clock::now() >= deadline;
      result.ended_when_complete = result.excess.empty() && !result.timed_out;
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      reaped = true;
      grace = Clock::now() + std::chrono::milliseconds(200);
    }
    if (reaped && Clock::now() >= grace) break;
  }
  ::kill(-child, SIGKILL);  // whatever the child left behind in its group
  if (group && result.excess.empty() && group->ran_out_of_memory()) {
    result.excess = memory_excess(command);
  }
  result.wall = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

std::filesystem::path find_program(const std::string& name) {
  const auto runnable = [](const std::filesystem::path& path) {
    std::error_code unreadable;  // a directory of PATH may be closed to us
    return std::filesystem::is_regular_file(path, unreadable) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    return runnable(name) ? std::filesystem::absolute(name) : std::filesystem::path();
  }
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    std::filesystem::path candidate = std::filesystem::path(rest.substr(0, colon)) / name;
    if (runnable(candidate)) return candidate;
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return {};
}

}  // namespace kernelloop
