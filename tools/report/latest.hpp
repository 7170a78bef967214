// The newest history that a build directory holds, as the person who steers sees it.
#pragma once

#include "config/op_config.hpp"
#include "loop/history.hpp"

#include <optional>

namespace kernelloop {

// Nothing when no round is done yet.
std::optional<History> find_latest_history(const OpConfig& config);
// Throws Error(bad_input) when no round is done yet; the message names the target to build.
History latest_history(const OpConfig& config);

}  // namespace kernelloop
