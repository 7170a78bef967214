#include "propose/courier.hpp"

#include "propose/interrupt.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

constexpr int k_couriers_per_build = 2;

// A lock that the courier inherits: flock belongs to the open file, so it stays held from before
// the fork until the courier's end, with no moment between. support's FileLock closes on exec.
class InheritedLock {
 public:
  explicit InheritedLock(const fs::path& path) {
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX) != 0) {
      const int reason = errno;
      if (descriptor_ >= 0) ::close(descriptor_);
      fail(ExitCode::io, "cannot lock {}: {}", path.string(), std::strerror(reason));
    }
  }
  ~InheritedLock() { ::close(descriptor_); }
  InheritedLock(const InheritedLock&) = delete;
  InheritedLock& operator=(const InheritedLock&) = delete;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// Only async-signal-safe calls between fork and exec.
[[noreturn]] void become_courier(const char* program, char** arguments, int log, int lock,
                                 int report) {
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  // Ninja waits for every writer of its pipe: the courier must not be one.
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::fcntl(lock, F_SETFD, 0);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  // Strange descriptors of our caller (a job server, a terminal) would keep it waiting as well.
  for (int descriptor = STDERR_FILENO + 1; descriptor < 256; ++descriptor) {
    if (descriptor != lock && descriptor != report) ::close(descriptor);
  }
  ::execv(program, arguments);
  const int reason = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(report, &reason, sizeof reason);
  ::_exit(127);
}

// Starts the courier and returns once it runs on its own.
pid_t start_courier(const std::vector<std::string>& command, const fs::path& log_file, int lock) {
  const fs::path program = find_program(command.at(0));
  if (program.empty()) {
    fail(ExitCode::environment, "cannot find the program '{}' that carries requests", command[0]);
  }
  std::vector<std::string> texts = command;
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const int log = ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  int report[2] = {-1, -1};
  if (log < 0 || ::pipe2(report, O_CLOEXEC) != 0) {
    const int reason = errno;
    if (log >= 0) ::close(log);
    fail(ExitCode::io, "cannot write {}: {}", log_file.string(), std::strerror(reason));
  }
  const pid_t child = ::fork();
  if (child == 0) become_courier(program.c_str(), arguments.data(), log, lock, report[1]);
  const int fork_error = errno;
  ::close(log);
  ::close(report[1]);
  int start_error = 0;
  ssize_t got = 0;
  do {
    got = ::read(report[0], &start_error, sizeof start_error);
  } while (got < 0 && errno == EINTR);
  ::close(report[0]);
  if (child < 0) start_error = fork_error;
  if (child < 0 || got == static_cast<ssize_t>(sizeof start_error)) {
    if (child > 0) ::waitpid(child, nullptr, 0);
    fail(ExitCode::environment, "cannot start {}: {}", program.string(),
         std::strerror(start_error));
  }
  return child;
}

}  // namespace

CourierProvider::CourierProvider(const Journal& journal, std::vector<std::string> program)
    : journal_(journal), program_(std::move(program)) {}

void CourierProvider::send(const AskRequest& request) const {
  const fs::path reply_file = journal_.file(request.turn, "reply.json");
  pid_t child = -1;
  {
    const InheritedLock lock(journal_.file(request.turn, "lock"));
    if (fs::exists(reply_file)) return;  // another courier was faster
    std::vector<std::string> command = program_;
    for (const std::string& text :
         {std::string("--request"), journal_.file(request.turn, "request.json").string(),
          std::string("--reply"), reply_file.string()}) {
      command.push_back(text);
    }
    child = start_courier(command, journal_.file(request.turn, "log"), lock.descriptor());
  }
  // The courier goes on whatever happens to us: what was asked for is paid for.
  const InterruptWatch interrupts;
  constexpr long k_look_again = 20;  // milliseconds
  while (::waitpid(child, nullptr, WNOHANG) == 0) {
    if (!interrupts.came(k_look_again)) continue;
    fail(
        ExitCode::interrupted,
        "{} version {}: interrupted; the answer that is on its way is kept, build again to take it",
        request.op, request.version);
  }
}

Reply CourierProvider::ask(const AskRequest& request) {
  for (int sent = 0; sent < k_couriers_per_build; ++sent) {
    send(request);
    if (const std::optional<Reply> reply = journal_.reply(request.turn)) return *reply;
    journal_.record_failure(request.turn, "the courier ended without a reply");
  }
  fail(ExitCode::provider,
       "the courier of {} version {} ended {} times without a reply; see {}, then build again",
       request.op, request.version, k_couriers_per_build,
       journal_.file(request.turn, "log").string());
}

}  // namespace kernelloop
