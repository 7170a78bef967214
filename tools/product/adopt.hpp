// Adoption: decides which version ships, and writes down why.
#pragma once

#include "config/op_config.hpp"
#include "support/json.hpp"

#include <functional>
#include <string>

namespace kernelloop {

struct AdoptRequest {
  std::string version;  // "v004"; empty: the fastest verified version
  bool force = false;   // without a comparison, and across device models
};

struct AdoptResult {
  bool changed = false;  // adopted.json names another version or other evidence than before
  std::string line;      // for the user
};

// compare.json of two versions ("v004", "v006") timed against each other on the config's device.
using Rematch = std::function<Json(const std::string& incumbent, const std::string& challenger)>;

// Adopts the requested or the fastest version, if it is verified and measured, and
//  - nothing is adopted yet for its architecture, or
//  - the incumbent cannot stand: its source was edited or is gone, or it no longer verifies, or
//  - it has evidence from a GPU and the incumbent only from the CPU device, or
//  - it is FASTER than the incumbent in two rematches on this device (bench/comparison.hpp), each a
//    process of its own.
// An incumbent that was adopted on another device model stays unless `force` is set: one machine
// cannot judge for the other. Evidence from the CPU device never replaces any from a GPU, not even
// with `force`. The evidence of an incumbent that wins again is renewed when it no longer holds.
//
// Writes evidence (.json, .md) first and adopted.json last, each whole or not at all, under a lock.
// "kept v004: ..." is a success. Throws Error(check_failed) when there is nothing to adopt or the
// requested version may not be.
AdoptResult adopt(const OpConfig& config, const AdoptRequest& request, const Rematch& rematch);

// Runs `<launcher> kernelloop-device compare` of the config.
Rematch device_rematch(const OpConfig& config);

}  // namespace kernelloop
