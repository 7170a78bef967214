#include "config/find_config.hpp"

#include "support/error.hpp"
#include "support/suggest.hpp"

#include <algorithm>
#include <system_error>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> directories_in(const fs::path& parent) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    if (it->is_directory(error)) result.push_back(it->path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

fs::path choose_build_dir(const std::string& given) {
  if (!given.empty()) return given;
  std::vector<fs::path> candidates{".", "build"};
  for (fs::path& directory : directories_in("build")) candidates.push_back(std::move(directory));
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [](const fs::path& dir) { return !all_configs(dir).empty(); });
  return found == candidates.end() ? fs::path(".") : *found;
}

std::vector<fs::path> all_configs(const fs::path& build_dir) {
  std::vector<fs::path> result;
  for (const fs::path& directory : directories_in(build_dir / "kernelloop")) {
    if (fs::exists(directory / "config.json")) result.push_back(directory / "config.json");
  }
  return result;
}

std::vector<fs::path> require_configs(const fs::path& build_dir) {
  std::vector<fs::path> result = all_configs(build_dir);
  if (result.empty()) {
    fail(ExitCode::bad_input,
         "there is no operator in the build directory {}; name another with --build-dir, or "
         "configure the project with CMake",
         build_dir.string());
  }
  return result;
}

fs::path find_config(const fs::path& build_dir, const std::string& op) {
  fs::path config = build_dir / "kernelloop" / op / "config.json";
  // The name becomes part of a path: it has to be a plain one.
  if (!op.empty() && op.find('/') == std::string::npos && op.front() != '.' && fs::exists(config)) {
    return config;
  }
  std::vector<std::string> known;
  for (const fs::path& path : require_configs(build_dir)) {
    known.push_back(path.parent_path().filename().string());
  }
  fail(ExitCode::bad_input,
       "there is no operator '{}' in the build directory {} (--build-dir names another); {}", op,
       build_dir.string(), name_hint(op, known));
}

}  // namespace kernelloop
