#include "support/toolkit.hpp"

#include "support/process.hpp"

#include <cstdlib>

namespace kernelloop {

std::vector<std::filesystem::path> toolkit_roots() {
  std::vector<std::filesystem::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0') {
      roots.emplace_back(root);
    }
  }
  roots.emplace_back("/usr/local/cuda");
  return roots;
}

std::filesystem::path find_toolkit_program(const std::string& name,
                                           const std::filesystem::path& neighbour) {
  std::filesystem::path found;
  if (neighbour.has_parent_path()) found = find_program((neighbour.parent_path() / name).string());
  if (found.empty()) found = find_program(name);
  for (const std::filesystem::path& root : toolkit_roots()) {
    if (!found.empty()) break;
    found = find_program((root / "bin" / name).string());
  }
  return found;
}

std::string toolkit_program_version(const std::filesystem::path& program, std::string_view title) {
  Command command;
  command.arguments = {program.string(), "--version"};
  command.timeout = std::chrono::seconds(30);
  const ProcessResult result = run(command);
  constexpr std::string_view k_mark = "\nVersion ";
  const std::size_t mark = result.output.find(k_mark);
  if (!result.succeeded() || mark == std::string::npos ||
      result.output.find(title) == std::string::npos) {
    return {};
  }
  const std::string_view text = std::string_view(result.output).substr(mark + k_mark.size());
  return std::string(text.substr(0, text.find_first_of(" \r\n")));
}

}  // namespace kernelloop
