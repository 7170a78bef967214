#include "support/process_tree.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace kernelloop {
namespace {

// Calls `action` with the directory of each thread, as long as the process is there.
template <typename Action>
void for_each_thread(pid_t process, const Action& action) {
  std::error_code ended;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), ended);
  for (; !ended && thread != std::filesystem::directory_iterator(); thread.increment(ended)) {
    action(thread->path());
  }
}

// A thread's children are its own: each has a list.
void add_children(pid_t process, std::vector<pid_t>& found) {
  for_each_thread(process, [&](const std::filesystem::path& thread) {
    std::ifstream children(thread / "children");
    for (pid_t child = 0; children >> child;) found.push_back(child);
  });
}

}  // namespace

Footprint footprint_of(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  Footprint footprint;
  for (std::string word; status >> word;) {
    const bool threads = word == "Threads:";
    if (!threads && word != "RssAnon:" && word != "RssShmem:") continue;
    std::size_t value = 0;
    if (!(status >> value)) break;
    if (threads) {
      footprint.threads = value;
    } else {
      footprint.memory += value << 10;
    }
  }
  return footprint;
}

std::string threads_text(pid_t process) {
  std::size_t running = 0;
  std::size_t waiting = 0;
  std::set<std::string> places;
  for_each_thread(process, [&](const std::filesystem::path& thread) {
    std::ifstream file(thread / "stat");
    std::string line;
    std::getline(file, line);
    // The state stands behind the name, which may hold anything.
    const std::size_t name_end = line.rfind(')');
    if (name_end == std::string::npos || name_end + 2 >= line.size()) return;
    const bool runs = line[name_end + 2] == 'R';
    ++(runs ? running : waiting);
    std::string place;
    if (!runs && std::getline(std::ifstream(thread / "wchan"), place) && place != "0") {
      places.insert(place);
    }
  });
  if (running + waiting == 0) return {};
  std::string text = fmt::format("{} thread{}: {} running, {} waiting", running + waiting,
                                 running + waiting == 1 ? "" : "s", running, waiting);
  if (!places.empty()) text += fmt::format(" ({})", fmt::join(places, ", "));
  return text;
}

pid_t child_of(pid_t process) {
  std::vector<pid_t> children;
  add_children(process, children);
  return children.empty() ? -1 : children.front();
}

std::vector<pid_t> family_of(pid_t process, std::size_t most) {
  std::vector<pid_t> family;
  std::vector<pid_t> left{process};
  while (!left.empty() && family.size() < most) {
    family.push_back(left.back());
    left.pop_back();
    add_children(family.back(), left);
  }
  return family;
}

ProcessTree process_tree(pid_t process, std::size_t most) {
  ProcessTree tree;
  for (const pid_t one : family_of(process, most + 1)) {
    ++tree.processes;
    const Footprint footprint = footprint_of(one);
    tree.memory += footprint.memory;
    tree.threads += footprint.threads;
  }
  return tree;
}

std::size_t half_of_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return 0;
  return static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(page_bytes);
}

}  // namespace kernelloop
