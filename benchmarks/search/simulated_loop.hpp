// A loop without a model and without a device: versions have a hidden quality, and what a policy
// sees of them is what a harness would see. Everything follows from a seed.
#pragma once

#include "loop/history.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kernelloop {

// How the model behaves. Shares are in [0, 1].
struct SimulatedModel {
  double right = 0.65;    // of seeds, branches and speed-ups that are right at the first go
  double repair = 0.6;    // of repairs that mend
  double repeat = 0.0;    // of answers that send an earlier version once more
  double better = 0.6;    // of speed-ups that are any faster
  bool claims = false;    // wrong versions say they are fast, and their time is on record
  double noise = 0.0;     // a measured time is off by up to this, relative
  double roof_us = 10.0;  // nothing is faster
};

using Policy = std::function<Decision(const History&)>;

struct SimulatedVersion {
  bool right = false;
  double time_us = 0.0;   // the true one, were it right
  double floor_us = 0.0;  // what refining its idea can reach
};

struct SimulatedRun {
  History history;                      // with the last decision
  std::vector<SimulatedVersion> truth;  // of each version of the history
  std::vector<Decision> decisions;      // what each version was made for; the first is a seed
  int requests = 0;                     // asked in all: a version takes one or more
};

// Called after each version; returns whether to go on.
using Watcher = std::function<bool(const SimulatedRun&)>;

// Runs until the policy stops, the watcher does, or there are `most_versions`.
SimulatedRun simulate(const SimulatedModel& model, const Policy& policy, int most_versions,
                      std::uint64_t seed, const Watcher& watcher = {});

}  // namespace kernelloop
