// Confines a program that runs code nobody vouches for: by bubblewrap, in namespaces of its own.
#pragma once

#include "support/process.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

// What a confined program gets. Everything else is out of its reach: the network, other processes,
// the environment, the home folder, keys, the rest of the file system.
struct SandboxRules {
  std::vector<std::filesystem::path> readable;   // beside the system's programs and libraries
  std::vector<std::filesystem::path> writable;   // and read
  std::map<std::string, std::string> variables;  // beside PATH, HOME (empty, in memory) and LANG
  std::size_t scratch_bytes = std::size_t{1} << 30;  // of /tmp, in memory
};

// Why nothing can be confined on this machine, with what to do; empty when it can. The answer is
// found out once, by confining `true`.
const std::string& sandbox_problem();

// The command, confined. Its limits and its input stay; its variables are those of the rules. It
// runs in the first writable folder. A path that does not exist is left out.
Command confine(const Command& command, const SandboxRules& rules);

}  // namespace kernelloop
