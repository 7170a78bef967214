#include "support/process_tree.hpp"

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace kernelloop {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(FamilyOf, AProcessIsItselfAndItsChildrenAndNobodyElse) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  const auto family = family_of(::getpid(), 64);
  EXPECT_EQ(family.front(), ::getpid());
  EXPECT_THAT(family, Contains(child));
  EXPECT_THAT(family, Not(Contains(::getppid())));
  EXPECT_THAT(family_of(::getpid(), 1), ElementsAre(::getpid()));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_THAT(family_of(::getpid(), 64), Not(Contains(child)));
}

TEST(ThreadsText, SaysWhoRunsAndWhoWaits) {
  const pid_t spinning = ::fork();
  if (spinning == 0) {
    for (volatile bool on = true; on;) {
    }
    ::_exit(0);
  }
  const pid_t waiting = ::fork();
  if (waiting == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_EQ(threads_text(spinning), "1 thread: 1 running, 0 waiting");
  std::string text;
  for (int tries = 0; tries < 10000; ++tries) {  // until it has come to rest
    text = threads_text(waiting);
    if (text.starts_with("1 thread: 0 running, 1 waiting")) break;
    ::usleep(1000);
  }
  EXPECT_THAT(text, testing::StartsWith("1 thread: 0 running, 1 waiting"));
  for (const pid_t child : {spinning, waiting}) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(threads_text(child), "");
  }
}

}  // namespace
}  // namespace kernelloop
