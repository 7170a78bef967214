// The learn step: folds a round into the history, decides, writes history.json and feedback.md.
#pragma once

#include "config/op_config.hpp"
#include "loop/history.hpp"

namespace kernelloop {

// Reads the evidence of all versions of `round` and the previous round's history; writes into
// config.history_dir(round), only what changed. Returns the new history.
History learn(const OpConfig& config, int round, double sol_target);

}  // namespace kernelloop
