#include "support/own_paths.hpp"

#include "support/error.hpp"

#include <cstdlib>
#include <system_error>

namespace kernelloop {

namespace fs = std::filesystem;

fs::path this_program() {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) fail(ExitCode::environment, "cannot tell which program this is: {}", error.message());
  return program;
}

std::optional<fs::path> user_cache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "kernelloop";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / ".cache" / "kernelloop";
  return std::nullopt;
}

}  // namespace kernelloop
