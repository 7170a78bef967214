// A version that nobody is asked for: an earlier one with its next configuration
// (loop/tuning.hpp).
#pragma once

#include "config/op_config.hpp"
#include "loop/history.hpp"
#include "propose/inner_loop.hpp"

namespace kernelloop {

// `history` decided to tune, for `version` too (decision_for). Throws Error(bad_input) when the
// version to start from has changed since and lists no such configuration any more.
Proposal tuned_version(const OpConfig& config, const History& history, int version);

}  // namespace kernelloop
