// What a process and all that it started take and do, as their parent sees it in /proc.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace kernelloop {

// What one process takes; 0 where that is not known.
struct Footprint {
  std::size_t memory = 0;  // bytes in RAM that are no file's, shared ones included
  std::size_t threads = 0;
};
Footprint footprint_of(pid_t process);

// What the threads of a process are about, for one that does not end: "4 threads: 1 running, 3
// waiting (futex_wait_queue)", the kernel's names of what they wait in where it tells. Empty when
// there is no such process.
std::string threads_text(pid_t process);

// So many threads no honest compiler or worker has at once: one that starts them without end is
// ended before the machine has no more.
inline constexpr std::size_t k_most_threads = 4096;

// The child of a process that has one, or of several the first; -1: there is none, or the kernel
// does not tell.
pid_t child_of(pid_t process);

struct ProcessTree {
  std::size_t processes = 0;  // the first one included; counted up to a limit
  std::size_t memory = 0;     // bytes, as Footprint has them, of those that were counted
  std::size_t threads = 0;    // of those
};

// The process and what it started, and so on, where the kernel tells of children. Ends when there
// are more than `most` (a bomb of processes is not to be followed).
ProcessTree process_tree(pid_t process, std::size_t most);

// The ids of the process and of all that it started, and so on: as many as `most`.
std::vector<pid_t> family_of(pid_t process, std::size_t most);

// Half of the memory of this machine in bytes; 0 where that is not known.
std::size_t half_of_memory();

}  // namespace kernelloop
