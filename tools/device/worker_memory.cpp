#include "device/worker_memory.hpp"

#include <fmt/format.h>

#include <fstream>

namespace kernelloop {

std::size_t default_worker_memory() { return half_of_memory(); }

pid_t child_of(pid_t process) {
  std::ifstream children(fmt::format("/proc/{}/task/{}/children", process, process));
  pid_t child = -1;
  return children >> child ? child : -1;
}

}  // namespace kernelloop
