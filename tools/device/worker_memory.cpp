#include "device/worker_memory.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <fstream>
#include <string>

namespace kernelloop {

std::size_t default_worker_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return 0;
  return static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(page_bytes);
}

std::size_t memory_of(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  std::size_t kibibytes = 0;
  for (std::string word; status >> word;) {
    if (word != "RssAnon:" && word != "RssShmem:") continue;
    std::size_t value = 0;
    if (status >> value) kibibytes += value;
  }
  return kibibytes << 10;
}

pid_t child_of(pid_t process) {
  std::ifstream children(fmt::format("/proc/{}/task/{}/children", process, process));
  pid_t child = -1;
  return children >> child ? child : -1;
}

}  // namespace kernelloop
