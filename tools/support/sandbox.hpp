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
  std::size_t scratch_bytes = std::size_t{1} << 30;  // of /tmp and of /dev/shm, in memory
  std::vector<std::filesystem::path> devices{};      // nodes of /dev beside null, zero, random
  std::filesystem::path directory{};  // where it starts; empty: in the first writable folder
  // Folders that are seen, for reading only, at another place: path there -> path here.
  std::map<std::filesystem::path, std::filesystem::path> placed{};
  bool whole_system = false;  // all files can be read: for who needs libraries from anywhere
  // Where bubblewrap writes what it started ("child-pid"), a descriptor that it gets; -1: nowhere.
  int info_descriptor = -1;
};

// Why nothing can be confined on this machine, with what to do; empty when it can. The answer is
// found out once, by confining `true`.
const std::string& sandbox_problem();

// What $KERNELLOOP_SANDBOX asks for: to confine where that is possible (unset or "auto"), never
// ("off"), or to refuse what cannot be confined ("required"). Throws Error(usage) for other values.
enum class SandboxMode { automatic, off, required };
SandboxMode sandbox_mode();

// How sure to be that something can be confined: that bubblewrap is there, or that it works, which
// takes a run of it.
enum class SandboxProof { there, works };

// Why what runs now is not confined; empty: it is to be. Throws Error(environment) where it must be
// and cannot.
std::string reason_not_to_confine(SandboxProof proof = SandboxProof::works);

// What the evidence says of something that ran without a sandbox, for this reason.
std::string unconfined_text(const std::string& reason);

// bubblewrap's command line, up to the program that it confines. The program gets the variables of
// bubblewrap's own environment and those of the rules.
std::vector<std::string> sandbox_prefix(const SandboxRules& rules);

// The command, confined. Its limits and its input stay; its variables and its directory are those
// of the rules. A path that does not exist is left out.
Command confine(const Command& command, const SandboxRules& rules);

}  // namespace kernelloop
