#include "device/worker_process.hpp"

#include "device/worker_environment.hpp"
#include "support/error.hpp"
#include "support/pipe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

namespace kernelloop {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int k_channel_in_worker = 3;
constexpr std::chrono::milliseconds k_patience{500};
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

// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_worker(const char* program, char** arguments, char** environment,
                                int channel, int output, pid_t parent, void (*limit)()) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);  // it died before we asked to be told
  const int input = ::open("/dev/null", O_RDONLY);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  // A descriptor that stands in its place already would keep its close-on-exec flag.
  if (channel == k_channel_in_worker) {
    ::fcntl(channel, F_SETFD, 0);
  } else {
    ::dup2(channel, k_channel_in_worker);
  }
#ifdef SYS_close_range
  ::syscall(SYS_close_range, static_cast<unsigned>(k_channel_in_worker + 1), ~0u, 0u);
#endif
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  limit();
  ::execve(program, arguments, environment);
  ::_exit(127);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("exited with code {}", WEXITSTATUS(status));
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
  std::vector<std::string> argument_texts = start.watcher;
  for (const char* text :
       {start.program.c_str(), "worker", "--device", start.device.c_str(), "--channel", "3"}) {
    argument_texts.emplace_back(text);
  }
  std::vector<std::string> variable_texts = worker_environment(start.preload);
  const std::vector<char*> arguments = pointers(argument_texts);
  const std::vector<char*> variables = pointers(variable_texts);
  for (const std::string& program : {argument_texts.front(), start.program.string()}) {
    if (::access(program.c_str(), X_OK) == 0) continue;
    fail(ExitCode::environment, "cannot start the device worker {}: {}", program,
         std::strerror(errno));
  }
  SocketPair sockets = socket_pair();
  Pipe pipe = make_output_pipe(ExitCode::environment);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) {
    fail(ExitCode::environment, "cannot start the device worker: {}", std::strerror(errno));
  }
  if (pid_ == 0) {
    become_worker(argument_texts.front().c_str(), const_cast<char**>(arguments.data()),
                  const_cast<char**>(variables.data()), sockets.theirs.get(), pipe.write.get(),
                  parent, watched_ ? limit_watched_worker : limit_worker);
  }
  ::setpgid(pid_, pid_);  // both sides do it, so that neither can be too early
  channel_ = Channel(std::move(sockets.ours));
  output_ = std::move(pipe.read);
}

WorkerProcess::~WorkerProcess() { end(); }

void WorkerProcess::drain() {
  if (output_.open() && !tail_.drain(output_.get())) output_.reset();
}

bool WorkerProcess::exited() const {
  siginfo_t information{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         information.si_pid == pid_;
}

// Kills what is left of the group and returns how the worker ended.
int WorkerProcess::end() {
  if (pid_ < 0) return 0;
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  drain();
  return status;
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
  // Where sending fails the worker has ended, and what it said before still waits in the channel,
  // which says that it is closed after that.
  static_cast<void>(channel_.send(request.dump(), descriptors, deadline));
  bool gone = false;
  while (!gone && Clock::now() < deadline) {
    std::array<pollfd, 2> watched{{{channel_.descriptor(), POLLIN, 0}, {output_.get(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), poll_milliseconds(deadline));
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
  result.how_it_died = how_it_ended(end());
  return result;
}

}  // namespace kernelloop
