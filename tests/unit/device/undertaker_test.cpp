#include "device/undertaker.hpp"

#include "device/worker_process.hpp"
#include "support/files.hpp"
#include "support/pipe.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace kernelloop {
namespace {

// A process that lives until it is told to end.
class Mortal {
 public:
  Mortal() : pid_(::fork()) {
    if (pid_ == 0) {
      for (;;) ::pause();
    }
    descriptor_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  }
  ~Mortal() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Mortal(const Mortal&) = delete;
  Mortal& operator=(const Mortal&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }

 private:
  pid_t pid_;
  Descriptor descriptor_;
};

class Undertaker : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return directory_.path() / "lock"; }
  [[nodiscard]] bool free() const { return FileLock(file(), FileLock::Wait::try_once).held(); }

  // It ends at some time after those it waits for.
  [[nodiscard]] bool becomes_free() const {
    for (int tries = 0; tries < 3000; ++tries) {
      if (free()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  TemporaryDirectory directory_;
};

TEST_F(Undertaker, KeepsALockUntilTheLastOfThemIsGone) {
  auto first = std::make_unique<Mortal>();
  auto second = std::make_unique<Mortal>();
  {
    const FileLock lock(file());
    ASSERT_TRUE(keep_until_gone({lock.descriptor()}, {first->descriptor(), second->descriptor()}));
  }
  EXPECT_FALSE(free());
  second.reset();
  EXPECT_FALSE(free());
  first.reset();
  EXPECT_TRUE(becomes_free());
}

TEST_F(Undertaker, LeavesOurPipesAlone) {
  const Mortal mortal;
  Pipe pipe = make_output_pipe(ExitCode::environment);
  const FileLock lock(file());
  ASSERT_TRUE(keep_until_gone({lock.descriptor()}, {mortal.descriptor()}));
  pipe.write.reset();
  pollfd end{pipe.read.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&end, 1, 30000), 1);
  EXPECT_EQ(end.revents & POLLHUP, POLLHUP);
}

TEST_F(Undertaker, KeepsAllThatItIsGiven) {
  auto mortal = std::make_unique<Mortal>();
  const auto other = directory_.path() / "other";
  {
    const FileLock lock(file());
    const FileLock second(other);
    ASSERT_TRUE(keep_until_gone({lock.descriptor(), second.descriptor()}, {mortal->descriptor()}));
  }
  EXPECT_FALSE(free());
  EXPECT_FALSE(FileLock(other, FileLock::Wait::try_once).held());
  mortal.reset();
  EXPECT_TRUE(becomes_free());
}

TEST_F(Undertaker, HasNothingToDoForNobody) {
  const FileLock lock(file());
  EXPECT_FALSE(keep_until_gone({lock.descriptor()}, {}));
}

TEST_F(Undertaker, AWorkerIsLeftToIt) {
  WorkerStart start;
  start.program = KERNELLOOP_DEVICE_PROGRAM;
  start.device = "cpu";
  WorkerProcess worker(start);
  const Exchange exchange = worker.ask(Json{{"op", "describe"}}, {}, std::chrono::seconds(60));
  ASSERT_EQ(exchange.end, Exchange::End::replied);
  {
    const FileLock lock(file());
    worker.leave(lock);
  }
  EXPECT_TRUE(becomes_free());
  EXPECT_EQ(worker.ask(Json{{"op", "describe"}}, {}, std::chrono::seconds(60)).end,
            Exchange::End::died);
}

}  // namespace
}  // namespace kernelloop
