// Why things are as they are: of a loop, and of one version.
#pragma once

#include "config/op_config.hpp"

#include <string>

namespace kernelloop {

// Why the loop stopped or what comes next, what each round decided and on what grounds, what the
// person who steers has set, and what would make it go on. Throws Error(bad_input) when no round
// is done yet.
std::string explain_loop(const OpConfig& config);

// How a version came about, what became of it, with the findings of compiler, ladder and timing,
// and the person's note on it. Throws Error(bad_input) when there is no such version.
std::string explain_version(const OpConfig& config, int version);

}  // namespace kernelloop
