// Where this program is, and where it may keep things between runs.
#pragma once

#include <filesystem>
#include <optional>

namespace kernelloop {

// The file of the running program. Throws Error(environment) where /proc does not tell.
std::filesystem::path this_program();

// $XDG_CACHE_HOME/kernelloop, else ~/.cache/kernelloop; nothing when neither variable holds an
// absolute path.
std::optional<std::filesystem::path> user_cache();

}  // namespace kernelloop
