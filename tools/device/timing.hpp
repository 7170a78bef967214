// What is asked of a device that times launches, and what it answers.
#pragma once

#include "device/fault.hpp"
#include "plan/launch_plan.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kernelloop {

class TensorArena;

// What the caches hold when a timed launch begins.
enum class CacheState {
  cold,      // nothing of its tensors: L2 is flushed before every sample, which is one launch
  hot,       // what the same launch left: back to back on the same tensors
  rotating,  // what launches on other tensors left, more than L2 holds: back to back over them all
};
const char* name_of(CacheState state);
CacheState cache_state_named(const std::string& name);  // throws Error(internal)

// When there are enough samples.
struct StoppingRule {
  int min_samples = 20;  // per variant
  int max_samples = 200;
  // Half the width of the 95 % interval of the median, as a fraction of it; of several variants:
  // of the median of each one's ratio to the first.
  double precision = 0.0025;
  std::chrono::milliseconds budget{1000};  // of timed launches, all variants together
};

// Timing of one or more variants, interleaved: on the same tensors within a block, in an order
// drawn for each block and then reversed, so that a drift of the clock hits all alike.
struct TimeRequest {
  struct Variant {
    int module = 0;
    ResolvedPlan plan;
  };
  // The same tensors with other data each; every block takes one at random. At most
  // k_most_data_sets.
  std::vector<const TensorArena*> sets;
  std::vector<Variant> variants;
  CacheState cache = CacheState::cold;
  int warmup = 3;
  StoppingRule stop;
  std::uint64_t seed = 0;  // of orders, sets, addresses and re-checks
  // What the outputs of each set should be, as RunResult::digest of this seed. Outputs that are so
  // need not come back. Empty: they all do.
  std::uint64_t digest_seed = 0;
  std::vector<std::uint64_t> digests;
  std::chrono::milliseconds timeout{120000};

  static constexpr std::size_t k_most_data_sets = 4;
};

struct TimeSample {
  double us = 0;           // of one launch of the plan; of several in a sample: their mean
  double clock_mhz = 0;    // of a multiprocessor meanwhile; 0: unknown
  int set = 0;             // whose tensors
  bool throttled = false;  // the device says that it held itself back meanwhile
  bool foreign = false;    // another's process computed on the GPU: see neighbours.hpp
};

struct TimeResult {
  Fault fault;
  int faulty_variant = -1;
  std::vector<std::vector<TimeSample>> samples;  // per variant, in the order taken
  int launches_per_sample = 1;
  int addresses = 1;                    // places in memory that each set was at
  bool graph = false;                   // the launches of a sample were one CUDA graph
  double power_watts = 0;               // median over samples; 0: unknown
  std::vector<std::string> throttling;  // what the device gave as reasons: "power cap", ...

  // After randomly chosen samples the outputs were hashed, and after the last of each variant and
  // set. Equal hashes are equal bits.
  struct Rechecks {
    int count = 0;
    int differing = 0;  // from the last of the same variant and set
  };
  Rechecks rechecks;
  // Where `digests` were given: the sets whose last timed launch left other outputs.
  std::vector<int> unlike;
  // The outputs of these, or of every set, hold what that launch left.
};

}  // namespace kernelloop
