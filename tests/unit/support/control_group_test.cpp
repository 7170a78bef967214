#include "support/control_group.hpp"

#include "support/files.hpp"

#include <gmock/gmock.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>

namespace kernelloop {
namespace {

using testing::HasSubstr;

constexpr const char* k_both = "cpu memory pids";

// Files as the kernel shows them, in a folder where nobody acts on them.
class ControlGroupHomeTest : public ::testing::Test {
 protected:
  ControlGroupHomeTest() { group("", k_both, ""); }

  void group(const std::string& name, const char* controllers, const char* for_members) {
    const std::filesystem::path folder = root() / name;
    std::filesystem::create_directories(folder);
    write_file_atomic(folder / "cgroup.controllers", controllers);
    write_file_atomic(folder / "cgroup.subtree_control", for_members);
    write_file_atomic(folder / "cgroup.procs", "");
  }
  [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }
  [[nodiscard]] ControlGroupHome home() const {
    return find_control_group_home(root(), "4:memory:/old\n0::/user/shell\n");
  }

  TemporaryDirectory folder_;
};

TEST_F(ControlGroupHomeTest, IsTheOwnGroupWhereItHasLimitsForMembers) {
  group("user/shell", k_both, "memory pids");
  EXPECT_EQ(home().path, root() / "user/shell");
}

TEST_F(ControlGroupHomeTest, IsGivenLimitsWhereThatIsAllowed) {
  group("user/shell", k_both, "");
  EXPECT_EQ(home().path, root() / "user/shell");
  EXPECT_EQ(read_file(root() / "user/shell/cgroup.subtree_control"), "+memory +pids");
}

TEST_F(ControlGroupHomeTest, IsTheOneAboveWhereTheOwnHasNoControllers) {
  group("user", k_both, "memory pids");
  group("user/shell", "cpu", "");
  EXPECT_EQ(home().path, root() / "user");
}

TEST_F(ControlGroupHomeTest, SaysWhyThereIsNone) {
  group("user", "memory", "");
  std::filesystem::create_directories(root() / "user/shell");
  const std::string user = (root() / "user").string();
  EXPECT_EQ(home().problem, user + "/shell cannot be written; " + user +
                                " has no controllers of memory and processes");
  // The kernel refuses what is written there as long as the group holds processes.
  group("user/shell", k_both, "");
  std::filesystem::remove(root() / "user/shell/cgroup.subtree_control");
  EXPECT_THAT(home().problem, HasSubstr(user + "/shell holds processes itself; "));
  EXPECT_TRUE(home().path.empty());
}

TEST_F(ControlGroupHomeTest, NeedsTheSecondVersion) {
  constexpr const char* k_none = "there are no control groups of version 2 here";
  EXPECT_EQ(find_control_group_home(root(), "4:memory:/\n").problem, k_none);
  EXPECT_EQ(find_control_group_home(root() / "nowhere", "0::/\n").problem, k_none);
}

TEST_F(ControlGroupHomeTest, NothingIsLeftOfAGroupThatNobodyCanJoin) {
  EXPECT_EQ(ControlGroup::make(root() / "nowhere"), nullptr);
  group("user", k_both, "memory pids");
  EXPECT_EQ(ControlGroup::make(root() / "user"), nullptr);  // the kernel makes no files here
  for (const auto& entry : std::filesystem::directory_iterator(root() / "user")) {
    EXPECT_FALSE(entry.is_directory()) << entry.path();
  }
}

// With the kernel's own, where this process may make some.
class ControlGroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const ControlGroupHome& home = control_group_home();
    if (home.path.empty()) GTEST_SKIP() << home.problem;
    group_ = ControlGroup::make(home.path);
    ASSERT_NE(group_, nullptr);
  }
  // What waitpid() says of a child in the group that does this.
  [[nodiscard]] int run(const std::function<int()>& what) const {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(join_control_group(group_->entrance()) ? what() : 99);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  std::unique_ptr<ControlGroup> group_;
};

TEST_F(ControlGroupTest, WhoTakesMoreMemoryIsKilled) {
  ASSERT_TRUE(group_->limit_memory(std::size_t{32} << 20));
  const auto take = [](std::size_t bytes) {
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(memory, 1, bytes);
    return 0;
  };
  EXPECT_EQ(run([&] { return take(std::size_t{8} << 20); }), 0);
  EXPECT_FALSE(group_->ran_out_of_memory());
  const int status = run([&] { return take(std::size_t{128} << 20); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_TRUE(group_->ran_out_of_memory());
}

TEST_F(ControlGroupTest, MoreProcessesAreNotStarted) {
  ASSERT_TRUE(group_->limit_processes(1));
  const int status = run([] {
    const pid_t second = ::fork();
    if (second == 0) ::_exit(0);
    return second < 0 && errno == EAGAIN ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(ControlGroupTest, GoesWithAllThatIsInIt) {
  const std::filesystem::path path = group_->path();
  const pid_t child = ::fork();
  if (child == 0) {
    if (!join_control_group(group_->entrance())) ::_exit(99);
    ::pause();
    ::_exit(0);
  }
  while (read_file(path / "cgroup.procs").empty()) ::usleep(1000);
  group_.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
}

}  // namespace
}  // namespace kernelloop
