#include "cost/run_id.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace kernelloop {
namespace {

struct ProcessFacts {
  std::string name;
  long parent = 0;
  std::string started;  // in clock ticks since boot
};

// /proc/PID/stat: "PID (name) state parent ... starttime", where the name may hold anything.
ProcessFacts facts_of(long pid) {
  std::ifstream stream(fmt::format("/proc/{}/stat", pid));
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  ProcessFacts facts;
  if (open == std::string::npos || close == std::string::npos) return facts;
  facts.name = text.substr(open + 1, close - open - 1);
  std::istringstream rest(text.substr(close + 1));
  std::string field;
  constexpr int k_parent = 2;  // fields after the name, from 1
  constexpr int k_started = 20;
  for (int number = 1; number <= k_started && rest >> field; ++number) {
    if (number == k_parent) facts.parent = std::stol(field);
    if (number == k_started) facts.started = field;
  }
  return facts;
}

}  // namespace

std::string current_run() {
  const long above = ::getppid();
  for (long pid = above; pid > 1;) {
    const ProcessFacts facts = facts_of(pid);
    if (facts.name == "ninja") return fmt::format("ninja {} since {}", pid, facts.started);
    pid = facts.parent;
  }
  return fmt::format("process {} since {}", above, facts_of(above).started);
}

}  // namespace kernelloop
