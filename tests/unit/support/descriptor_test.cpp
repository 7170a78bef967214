#include "support/descriptor.hpp"

#include "support/pipe.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

namespace kernelloop {
namespace {

std::string read_all(int descriptor) {
  std::string text;
  char letter = 0;
  while (::read(descriptor, &letter, 1) == 1) text += letter;
  return text;
}

TEST(KeepOnly, EachTakesItsPlaceAlsoThatOfAnother) {
  Pipe first = make_output_pipe(ExitCode::environment);
  Pipe second = make_output_pipe(ExitCode::environment);
  Pipe other = make_output_pipe(ExitCode::environment);
  const pid_t child = ::fork();
  if (child == 0) {
    // As if they stood in each other's places.
    ::dup2(first.write.get(), 1);
    ::dup2(second.write.get(), 2);
    const std::array<int, 4> kept{2, -1, 1, 1};
    keep_only(kept.data(), kept.size());
    bool good = ::write(0, "a", 1) == 1 && ::write(2, "b", 1) == 1 && ::write(3, "c", 1) == 1;
    good = good && ::write(1, "d", 1) < 0;
    ::_exit(good ? 0 : 1);
  }
  for (Pipe* const pipe : {&first, &second, &other}) pipe->write.reset();
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_all(second.read.get()), "a");
  EXPECT_EQ(read_all(first.read.get()), "bc");
}

TEST(KeepOnly, NobodyWaitsForWhatIsNotKept) {
  Pipe pipe = make_output_pipe(ExitCode::environment);
  Pipe life = make_output_pipe(ExitCode::environment);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::array<int, 1> kept{life.write.get()};
    keep_only(kept.data(), kept.size());
    for (;;) ::pause();
  }
  pipe.write.reset();
  life.write.reset();
  pollfd end{pipe.read.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 30000), 1);
  EXPECT_EQ(end.revents & POLLHUP, POLLHUP);
  end = {life.read.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 0), 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace kernelloop
