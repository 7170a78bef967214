// A control group (cgroup v2): limits that the kernel holds for a process and all that it starts,
// together, however fast they take.
#pragma once

#include "support/descriptor.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace kernelloop {

// Where groups with limits can be made.
struct ControlGroupHome {
  std::filesystem::path path;  // a folder of the kernel's; empty: nowhere
  std::string problem;         // why not
};

// Looks below `root`, where groups are mounted, for the group that `membership` (the text of
// /proc/self/cgroup) names, and for the one above it: the first in which memory and processes are
// limited for members, or can be from now on, and this process may make some. A group that
// holds processes can have none with limits below it, hence the second.
ControlGroupHome find_control_group_home(const std::filesystem::path& root,
                                         const std::string& membership);

// That of this process, looked for once and proved by a child that joins a group there.
const ControlGroupHome& control_group_home();

class ControlGroup {
 public:
  // A group in `home`; nullptr where none can be made. Takes those away that processes left which
  // have ended since.
  static std::unique_ptr<ControlGroup> make(const std::filesystem::path& home);
  // The same below that of this process, for one whose watch ends it beyond `memory` bytes or
  // `threads` (0: as many as it likes): memory is limited to the same, threads to twice as many,
  // since the watch is to tell of them. nullptr also where they cannot be limited.
  static std::unique_ptr<ControlGroup> make_limited(std::size_t memory, std::size_t threads);
  ~ControlGroup();  // kills who is in it
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  // Nobody is killed, and no time spent, when this ends: others see to the processes, and the next
  // group to the folder.
  void leave() noexcept { left_ = true; }

  // Whoever takes more has nothing of it swapped out, but is killed with all others in the group.
  [[nodiscard]] bool limit_memory(std::size_t bytes) const;
  // Threads are processes here. More cannot be started.
  [[nodiscard]] bool limit_processes(std::size_t most) const;
  // Whether the kernel killed for want of memory.
  [[nodiscard]] bool ran_out_of_memory() const;
  // For join_control_group.
  [[nodiscard]] int entrance() const noexcept { return entrance_.get(); }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  ControlGroup(std::filesystem::path path, Descriptor entrance)
      : path_(std::move(path)), entrance_(std::move(entrance)) {}

  std::filesystem::path path_;
  Descriptor entrance_;
  bool left_ = false;
};

// Moves the calling process into the group of an entrance. Async-signal-safe.
bool join_control_group(int entrance) noexcept;

}  // namespace kernelloop
