// What the person who steers a loop has decided: <generated>/<op>/steering.json, written by
// `kernelloop steer` and committed with the versions.
//
// history.json says what was measured and is never changed by it. The two are put together where
// somebody decides: by the propose step, by adoption, by reports.
#pragma once

#include "config/op_config.hpp"
#include "loop/history.hpp"

#include <map>
#include <string>

namespace kernelloop {

struct Steering {
  std::string pin;          // every proposal starts from this version; "" none
  std::string fork_parent;  // the round of `fork_version` starts from this one; "" none
  std::string fork_version;
  std::map<std::string, std::string> rejected;  // version -> reason

  [[nodiscard]] bool empty() const {
    return pin.empty() && fork_parent.empty() && rejected.empty();
  }
  // The version that proposals of `round` start from; "" where the person leaves it open.
  [[nodiscard]] std::string parent_for(const OpConfig& config, int round) const;
};

std::filesystem::path steering_file(const OpConfig& config);

// Empty where there is no file. A fork whose round is complete is spent and left out. Throws
// Error(bad_input) with the line when the file is broken or names a parent that is not there.
Steering load_steering(const OpConfig& config);
// Removes the file of an empty one.
void save_steering(const OpConfig& config, const Steering& steering);

// `history` as the person sees it: rejected versions are neither best nor right, and what comes
// next is decided again without them. For a round that a fork is for, or while a version is pinned,
// the decision is to start from that version; a fork lifts a stop, a pin does not.
History steered(History history, const Steering& steering, const OpConfig& config);

}  // namespace kernelloop
