#include "device/worker_process.hpp"

#include "device/undertaker.hpp"
#include "device/worker_environment.hpp"
#include "support/descriptor.hpp"
#include "support/error.hpp"
#include "support/pipe.hpp"
#include "support/process_tree.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

namespace kernelloop {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int k_channel_in_worker = 3;
constexpr int k_info_in_sandbox = 4;  // bubblewrap closes it before the worker starts
constexpr int k_signal_codes = 128;   // bubblewrap's exit code for a signal is the signal beyond it
constexpr std::chrono::milliseconds k_patience{500};
constexpr const char* k_took_more = "was killed: it took more than ";
constexpr std::chrono::milliseconds k_sandbox_patience{10000};
constexpr std::chrono::milliseconds k_watcher_patience{20000};

struct SocketPair {
  Descriptor ours;
  Descriptor theirs;
};

SocketPair socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail(ExitCode::environment, "cannot create a socket pair: {}", std::strerror(errno));
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// What the child needs to become the worker.
struct ChildStart {
  char** arguments;
  char** environment;
  int channel;
  int output;
  int info;      // -1: none
  int entrance;  // of the group that it joins; -1: none
  pid_t parent;
  void (*limit)() noexcept;
};

// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_worker(const ChildStart& start) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(126);  // it died before we asked to be told
  if (start.entrance >= 0 && !join_control_group(start.entrance)) ::_exit(126);
  const int input = ::open("/dev/null", O_RDONLY);
  const std::array<int, 5> kept{input, start.output, start.output, start.channel, start.info};
  static_assert(kept.size() == k_info_in_sandbox + 1 && k_channel_in_worker == 3);
  keep_only(kept.data(), kept.size());
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  start.limit();
  ::execve(start.arguments[0], start.arguments, start.environment);
  ::_exit(127);
}

std::string ended_by(int signal) {
  return fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
}

int poll_milliseconds(Deadline deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  // A child that the worker forked may hold the channel open: look now and then whether it lives.
  return static_cast<int>(std::clamp<long long>(left + 1, 0, 50));
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerStart& start) : channel_(Descriptor()) {
  watched_ = !start.watcher.empty();
  sandboxed_ = start.sandbox.has_value();
  memory_limit_ = watched_ ? 0 : start.memory_limit;
  if (memory_limit_ > 0) group_ = ControlGroup::make_limited(memory_limit_, k_most_threads);
  std::vector<std::string> argument_texts;
  std::vector<std::string> variable_texts;
  if (sandboxed_) {
    SandboxRules rules = *start.sandbox;
    rules.info_descriptor = k_info_in_sandbox;
    // The runtimes are the worker's: bubblewrap starts without them.
    for (const auto& [name, value] : preload_variables(start.preload)) {
      rules.variables[name] = value;
    }
    argument_texts = sandbox_prefix(rules);
    argument_texts.front() = find_program(argument_texts.front()).string();
    variable_texts = rules.whole_system ? worker_environment({}) : confined_environment();
  } else {
    variable_texts = worker_environment(start.preload);
  }
  for (const std::string& variable : start.variables) {
    const std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(variable_texts, [&](const auto& text) { return text.rfind(name, 0) == 0; });
    variable_texts.push_back(variable);
  }
  argument_texts.insert(argument_texts.end(), start.watcher.begin(), start.watcher.end());
  for (const char* text :
       {start.program.c_str(), "worker", "--device", start.device.c_str(), "--channel", "3"}) {
    argument_texts.emplace_back(text);
  }
  if (watched_ || needs_programs(start.preload)) {
    argument_texts.emplace_back("--may-start-programs");
  }
  const std::vector<char*> arguments = pointers(argument_texts);
  const std::vector<char*> variables = pointers(variable_texts);
  const std::string& watcher = watched_ ? start.watcher.front() : argument_texts.front();
  for (const std::string& program : {argument_texts.front(), watcher, start.program.string()}) {
    if (::access(program.c_str(), X_OK) == 0) continue;
    fail(ExitCode::environment, "cannot start the device worker {}: {}", program,
         std::strerror(errno));
  }
  SocketPair sockets = socket_pair();
  Pipe pipe = make_output_pipe(ExitCode::environment);
  Pipe info;
  if (sandboxed_) info = make_output_pipe(ExitCode::environment);
  const ChildStart child{const_cast<char**>(arguments.data()),
                         const_cast<char**>(variables.data()),
                         sockets.theirs.get(),
                         pipe.write.get(),
                         sandboxed_ ? info.write.get() : -1,
                         group_ ? group_->entrance() : -1,
                         ::getpid(),
                         watched_ ? limit_watched_worker : limit_worker};
  pid_ = ::fork();
  if (pid_ < 0) {
    fail(ExitCode::environment, "cannot start the device worker: {}", std::strerror(errno));
  }
  if (pid_ == 0) become_worker(child);
  ::setpgid(pid_, pid_);  // both sides do it, so that neither can be too early
  channel_ = Channel(std::move(sockets.ours));
  output_ = std::move(pipe.read);
  info_ = std::move(info.read);
}

WorkerProcess::~WorkerProcess() { end(); }

std::string WorkerProcess::memory_text() const {
  if (memory_limit_ == 0) return {};
  return group_ ? "memory limited by a control group" : "memory watched";
}

void WorkerProcess::drain() {
  if (output_.open() && !tail_.drain(output_.get())) output_.reset();
}

bool WorkerProcess::exited() const {
  siginfo_t information{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         information.si_pid == pid_;
}

// bubblewrap writes {"child-pid": 17, ...} when it has made its namespaces. It may still write
// more, which would end it if nobody could read it.
void WorkerProcess::learn_sandboxed() {
  if (!sandboxed_) {
    worker_ = pid_;
    return;
  }
  if (inner_ < 0 && info_.open()) {
    std::array<char, 512> text{};
    const ssize_t size = ::read(info_.get(), text.data(), text.size() - 1);
    constexpr std::string_view k_name = "\"child-pid\":";
    const std::string_view said(text.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
    if (const std::size_t at = said.find(k_name); at != std::string_view::npos) {
      inner_ = std::atoi(text.data() + at + k_name.size());
    }
  }
  if (worker_ >= 0 || inner_ < 0) return;
  worker_ = child_of(inner_);
#ifdef SYS_pidfd_open
  if (worker_ >= 0) {
    network_ =
        Descriptor(::open(fmt::format("/proc/{}/ns/net", inner_).c_str(), O_RDONLY | O_CLOEXEC));
    worker_fd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, worker_, 0)));
  }
#endif
}

void WorkerProcess::share(const std::vector<int>& descriptors) {
  for (const int descriptor : descriptors) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) continue;
    shared_[status.st_ino] = static_cast<std::size_t>(status.st_size);
  }
  // Whoever touches them first is charged for them.
  if (group_ && !shared_.empty()) static_cast<void>(group_->limit_memory(allowed_memory()));
}

std::string WorkerProcess::memory_amount() const {
  return fmt::format("{} MiB of memory", memory_limit_ >> 20);
}

std::size_t WorkerProcess::allowed_memory() const {
  std::size_t allowed = memory_limit_;
  for (const auto& [inode, bytes] : shared_) allowed += bytes;
  return allowed;
}

std::string WorkerProcess::takes_too_much() {
  if (memory_limit_ == 0) return {};
  learn_sandboxed();
  if (worker_ < 0) return {};
  const Footprint footprint = footprint_of(worker_);
  if (footprint.memory > allowed_memory()) return memory_amount();
  if (footprint.threads > k_most_threads) return fmt::format("{} threads", k_most_threads);
  return {};
}

std::string WorkerProcess::how_it_ended(int status) const {
  if (WIFSIGNALED(status)) return ended_by(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  if (sandboxed_ && code > k_signal_codes && code < k_signal_codes + NSIG) {
    return ended_by(code - k_signal_codes);
  }
  return fmt::format("exited with code {}", code);
}

// Kills what is left of the group, and of the sandbox, and returns how the worker ended.
int WorkerProcess::end() {
  if (pid_ < 0) return 0;
  learn_sandboxed();
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (worker_fd_.open()) {
    // It goes with bubblewrap, but a moment later, and may hold a GPU until then.
    pollfd ended{worker_fd_.get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(k_sandbox_patience.count()));
  }
  drain();
  return status;
}

void WorkerProcess::leave(const FileLock& lock) {
#ifdef SYS_pidfd_open
  if (pid_ < 0) return;
  learn_sandboxed();
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (process.open()) {
    ::kill(-pid_, SIGKILL);
    std::vector<int> dying{process.get()};
    std::vector<int> kept{lock.descriptor()};
    if (worker_fd_.open()) dying.push_back(worker_fd_.get());
    if (network_.open()) kept.push_back(network_.get());
    if (keep_until_gone(kept, dying)) {
      pid_ = -1;
      if (group_) group_->leave();
      return;
    }
  }
#endif
  end();
}

bool WorkerProcess::wait_for_exit(std::chrono::milliseconds timeout) {
  const Deadline patience = Clock::now() + timeout;
  while (!exited()) {
    if (Clock::now() >= patience) return false;
    drain();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool WorkerProcess::finish(std::chrono::milliseconds timeout) {
  if (pid_ < 0) return false;
  channel_ = Channel(Descriptor());
  const bool by_itself = wait_for_exit(timeout);
  end();
  return by_itself;
}

Exchange WorkerProcess::ask(const Json& request, const std::vector<int>& descriptors,
                            std::chrono::milliseconds timeout) {
  Exchange result;
  tail_.clear();
  if (pid_ < 0) return result;
  const Deadline deadline = Clock::now() + timeout;
  share(descriptors);
  // Where sending fails the worker has ended, and what it said before still waits in the channel,
  // which says that it is closed after that.
  static_cast<void>(channel_.send(request.dump(), descriptors, deadline));
  bool gone = false;
  while (!gone && Clock::now() < deadline) {
    std::array<pollfd, 2> watched{{{channel_.descriptor(), POLLIN, 0}, {output_.get(), POLLIN, 0}}};
    const int ready = ::poll(watched.data(), watched.size(), poll_milliseconds(deadline));
    if (const std::string excess = ready == 0 ? takes_too_much() : std::string(); !excess.empty()) {
      end();
      result.end = Exchange::End::died;
      result.how_it_died = k_took_more + excess;
      return result;
    }
    if (watched[1].revents != 0) drain();
    if (watched[0].revents == 0 && exited()) {
      // What it said at its very end may have come after the poll.
      ::poll(watched.data(), 1, 0);
      gone = watched[0].revents == 0;
    }
    if (watched[0].revents != 0) {
      const Channel::Progress progress = channel_.read_some();
      if (progress == Channel::Progress::message) {
        drain();
        result.reply = Json::parse(channel_.take().text, nullptr, false);
        if (result.reply.is_object()) {
          result.end = Exchange::End::replied;
          return result;
        }
        gone = true;  // not one of our replies: the candidate wrote into the channel
      }
      gone = gone || progress == Channel::Progress::closed;
    }
  }
  if (gone) {
    // The channel closes a moment before the process is a zombie; its status tells more than our
    // kill. A watcher has its report to write.
    wait_for_exit(watched_ ? k_watcher_patience : k_patience);
  }
  result.end = gone ? Exchange::End::died : Exchange::End::timed_out;
  const bool out_of_memory = group_ && group_->ran_out_of_memory();
  result.how_it_died = how_it_ended(end());
  if (out_of_memory) result.how_it_died = k_took_more + memory_amount();
  return result;
}

}  // namespace kernelloop
