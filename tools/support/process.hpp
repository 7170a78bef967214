// The one way to run a child process: argument vector, no shell, its own process group, limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

struct Command {
  std::vector<std::string> arguments;            // [0] is searched in PATH
  std::filesystem::path directory;               // empty: inherit
  std::map<std::string, std::string> variables;  // added to, or replacing, the inherited ones
  bool scrub_secrets = true;      // drop variables that look like keys (is_secret_name)
  bool inherit_variables = true;  // false: only those of `variables`
  std::string input;              // standard input, then end of file
  std::chrono::milliseconds timeout{
      std::chrono::minutes(10)};      // wall clock; then the group is killed
  std::chrono::seconds cpu_limit{0};  // CPU time of each process; then it gets SIGXCPU; 0: none
  std::size_t memory_limit = 0;       // bytes of address space of each process; 0: none
  std::size_t file_limit = 0;         // bytes of a file that it may write; 0: none
  // Of the child and all that it started, together and at once, looked at ten times a second;
  // beyond one the group is killed. Whole only where it cannot leave the group, as in a sandbox. 0:
  // none.
  std::size_t most_processes = 0;
  std::size_t most_threads = 0;
  std::size_t most_memory = 0;  // bytes in RAM
  // Asked whenever output came. Once it says yes, and until more output makes it say no, a child
  // that does not end has `grace` left; then the group is killed and that counts as success.
  std::function<bool(const std::string& output)> is_complete = {};
  std::chrono::milliseconds grace{5'000};
  std::size_t output_limit = 8u << 20;  // bytes kept of each stream; the rest is read and dropped
};

struct ProcessResult {
  int exit_code = -1;  // valid when signal == 0
  int signal = 0;      // the signal that ended it, or 0
  bool timed_out = false;
  std::string excess;  // what it was killed for: "more than 64 processes at once"; or empty
  bool ended_when_complete = false;  // see Command::is_complete
  bool output_truncated = false;
  std::string output;        // standard output
  std::string error_output;  // standard error
  std::chrono::milliseconds wall{0};

  [[nodiscard]] bool succeeded() const noexcept {
    return ended_when_complete || (!timed_out && excess.empty() && signal == 0 && exit_code == 0);
  }
  // "exit code 2", "killed by signal 11 (Segmentation fault)", "timed out after 60 s".
  [[nodiscard]] std::string describe() const;
};

// Runs to the end. When this process is interrupted (SIGINT, SIGTERM) the child's group goes too.
// Throws Error(environment) when the program cannot be started.
ProcessResult run(const Command& command);

// The absolute path of a program, searched in PATH like execvp does; empty when there is none.
std::filesystem::path find_program(const std::string& name);

}  // namespace kernelloop
