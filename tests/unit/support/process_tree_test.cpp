#include "support/process_tree.hpp"

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

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

}  // namespace
}  // namespace kernelloop
