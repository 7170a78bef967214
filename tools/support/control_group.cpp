#include "support/control_group.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_prefix = "kernelloop-";
constexpr std::chrono::minutes k_stale{1};
// The kernel needs a moment to see a group empty whose processes were killed.
constexpr int k_tries_to_remove = 50;

bool write_setting(const fs::path& file, const std::string& value) {
  const Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return descriptor.open() && ::write(descriptor.get(), value.data(), value.size()) ==
                                  static_cast<ssize_t>(value.size());
}

std::string text_of(const fs::path& file) {
  try {
    return read_file(file);
  } catch (const Error&) {
    return {};
  }
}

bool has_word(const std::string& text, std::string_view word) {
  std::istringstream words(text);
  for (std::string one; words >> one;) {
    if (one == word) return true;
  }
  return false;
}

bool has_controllers(const fs::path& file) {
  const std::string text = text_of(file);
  return has_word(text, "memory") && has_word(text, "pids");
}

// Of "0::/user.slice/session-1.scope", the line of version 2.
std::optional<std::string> group_in(const std::string& membership) {
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("0::/", 0) == 0) return line.substr(4);
  }
  return std::nullopt;
}

// Why no group with limits can be made in this one; empty: one can.
std::string problem_in(const fs::path& group) {
  if (::access(group.c_str(), W_OK) != 0 || ::access((group / "cgroup.procs").c_str(), W_OK) != 0) {
    return fmt::format("{} cannot be written", group.string());
  }
  if (has_controllers(group / "cgroup.subtree_control")) return {};
  if (!has_controllers(group / "cgroup.controllers")) {
    return fmt::format("{} has no controllers of memory and processes", group.string());
  }
  if (write_setting(group / "cgroup.subtree_control", "+memory +pids")) return {};
  return fmt::format("{} holds processes itself", group.string());
}

// The id in the name of a group that make() made; 0: none of ours.
pid_t maker_of(const fs::path& group) {
  const std::string name = group.filename().string();
  return name.rfind(k_prefix, 0) == 0 ? std::atoi(name.c_str() + std::string_view(k_prefix).size())
                                      : 0;
}

void remove_stale(const fs::path& home) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(home, error)) {
    const pid_t maker = maker_of(entry.path());
    if (maker <= 0 || ::kill(maker, 0) == 0 || errno != ESRCH) continue;
    // In another namespace ids are others: one that was just made is left alone, and one with
    // processes in it cannot be removed.
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(entry.path(), error);
    if (!error && age > k_stale) ::rmdir(entry.path().c_str());
  }
}

// Whether a child of this process can join a group in `home`.
bool proved(const fs::path& home) {
  const auto group = ControlGroup::make(home);
  if (!group || !group->limit_memory(std::size_t{1} << 30) || !group->limit_processes(64)) {
    return false;
  }
  const int entrance = group->entrance();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(join_control_group(entrance) ? 0 : 1);
  int status = 1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && status == 0;
}

}  // namespace

ControlGroupHome find_control_group_home(const fs::path& root, const std::string& membership) {
  const std::optional<std::string> own = group_in(membership);
  if (!own || ::access((root / "cgroup.controllers").c_str(), R_OK) != 0) {
    return {{}, "there are no control groups of version 2 here"};
  }
  const fs::path group = (root / *own).lexically_normal();
  std::string problem = problem_in(group);
  if (problem.empty()) return {group, ""};
  if (own->empty()) return {{}, problem};
  const fs::path above = fs::path(group).parent_path();
  const std::string problem_above = problem_in(above);
  if (problem_above.empty()) return {above, ""};
  return {{}, fmt::format("{}; {}", problem, problem_above)};
}

const ControlGroupHome& control_group_home() {
  static const ControlGroupHome home = [] {
    ControlGroupHome found =
        find_control_group_home("/sys/fs/cgroup", text_of("/proc/self/cgroup"));
    if (!found.path.empty() && !proved(found.path)) {
      found = {{}, fmt::format("no process can be moved to a group in {}", found.path.string())};
    }
    return found;
  }();
  return home;
}

std::unique_ptr<ControlGroup> ControlGroup::make(const fs::path& home) {
  static std::atomic<int> number{0};
  remove_stale(home);
  fs::path path = home / fmt::format("{}{}-{}", k_prefix, ::getpid(), ++number);
  std::error_code error;
  if (!fs::create_directory(path, error)) return nullptr;
  Descriptor entrance(::open((path / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  std::unique_ptr<ControlGroup> group(new ControlGroup(std::move(path), std::move(entrance)));
  return group->entrance_.open() ? std::move(group) : nullptr;
}

std::unique_ptr<ControlGroup> ControlGroup::make_limited(std::size_t memory, std::size_t threads) {
  if (control_group_home().path.empty()) return nullptr;
  std::unique_ptr<ControlGroup> group = make(control_group_home().path);
  const bool limited =
      group && group->limit_memory(memory) && (threads == 0 || group->limit_processes(2 * threads));
  return limited ? std::move(group) : nullptr;
}

ControlGroup::~ControlGroup() {
  if (left_) return;
  write_setting(path_ / "cgroup.kill", "1");
  for (int i = 0; i < k_tries_to_remove && ::rmdir(path_.c_str()) != 0 && errno == EBUSY; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool ControlGroup::limit_memory(std::size_t bytes) const {
  // Without swap, or without its accounting, there is no such file.
  write_setting(path_ / "memory.swap.max", "0");
  return write_setting(path_ / "memory.max", std::to_string(bytes)) &&
         write_setting(path_ / "memory.oom.group", "1");
}

bool ControlGroup::limit_processes(std::size_t most) const {
  return write_setting(path_ / "pids.max", std::to_string(most));
}

bool ControlGroup::ran_out_of_memory() const {
  std::istringstream events(text_of(path_ / "memory.events"));
  std::string name;
  for (unsigned long count = 0; events >> name >> count;) {
    if (name == "oom_kill") return count > 0;
  }
  return false;
}

bool join_control_group(int entrance) noexcept { return ::write(entrance, "0", 1) == 1; }

}  // namespace kernelloop
