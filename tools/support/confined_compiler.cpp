#include "support/confined_compiler.hpp"

#include "support/sandbox.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

// A program with what stands around it: all of its prefix where it is in a `bin`.
void add_program(const std::string& name, std::vector<fs::path>& readable) {
  const fs::path found = find_program(name);
  if (found.empty()) return;
  std::error_code error;
  for (const fs::path& program : {fs::absolute(found, error), fs::canonical(found, error)}) {
    if (program.empty()) continue;
    const fs::path folder = program.parent_path();
    readable.push_back(folder.filename() == "bin" ? folder.parent_path() : program);
  }
}

// "-I/usr/x", "-ccbin=/opt/y", "/opt/z": what is an absolute path from the first slash on.
void add_named(const std::string& option, std::vector<fs::path>& readable) {
  const std::size_t slash = option.find('/');
  const bool path = slash != std::string::npos && (slash == 0 || option.front() == '-') &&
                    (slash == 0 || option[slash - 1] != '.');
  std::error_code error;
  if (!path || !fs::exists(option.substr(slash), error)) return;
  readable.emplace_back(option.substr(slash));
}

}  // namespace

ProcessResult run_compiler(const Command& command, const CompilerFiles& files) {
  if (!reason_not_to_confine().empty()) return run(command);
  SandboxRules rules;
  rules.readable = files.readable;
  add_program(command.arguments.front(), rules.readable);
  for (const char* name : {"c++", "g++", "gcc"}) add_program(name, rules.readable);
  for (std::size_t i = 1; i < command.arguments.size(); ++i) {
    add_named(command.arguments[i], rules.readable);
  }
  rules.writable = {files.writable};
  rules.directory = command.directory;
  rules.variables = command.variables;
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    rules.variables.emplace("PATH", path);
  }
  return run(confine(command, rules));
}

std::string compiler_confinement() {
  const std::string reason = reason_not_to_confine();
  if (!reason.empty()) return unconfined_text(reason);
  return "bubblewrap (no network, no other processes, no files but the system's, the compiler's "
         "and "
         "the source's)";
}

}  // namespace kernelloop
