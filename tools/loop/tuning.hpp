// Configurations that a version lists (plan/configurations.hpp) and that were not tried yet. Each
// becomes a version in the mode "tune", which nobody is asked for and which costs nothing.
#pragma once

#include "config/op_config.hpp"
#include "loop/history.hpp"

#include <cstdint>
#include <optional>

namespace kernelloop {

struct Tuning {
  const VersionRecord* base = nullptr;  // lists them; in the history
  std::int64_t next = 1;                // the first that was not tried, counted from 0
};

// Of the fastest right version that has some left and is at most `within` times slower than the
// best, itself or in a configuration that was tried; none when there is no such version.
std::optional<Tuning> tuning_of(const History& history, double within);

// What `version`, of the round after `history`, tries where the decision is to tune: each version
// of a round takes a configuration of its own. None where none is left, and for the first versions,
// which try each LANGUAGE.
std::optional<Tuning> tuning_for(const History& history, const OpConfig& config, int version);

// The decision for `version`: that of the history, but that a version with nothing to tune refines
// the best one.
Decision decision_for(const History& history, const OpConfig& config, int version);

}  // namespace kernelloop
