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

}  // namespace kernelloop
