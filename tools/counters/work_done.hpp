// Whether a cold launch moved what it cannot avoid moving.
#pragma once

#include "counters/metrics.hpp"

#include <optional>
#include <string>

namespace kernelloop {

// What a launch must do at least, and the machine it does it on.
struct CounterContext {
  double minimum_bytes = 0;  // each input read once, each output written once (the op's `cost`)
  double output_bytes = 0;   // of them, what may still be in L2 when the launch ends
  double l2_bytes = 0;       // 0: unknown
  double time_us = 0;        // cold median without counters; 0: unknown
  double copy_bytes_per_second = 0;  // measured roof; 0: unknown
  double blocks = 0;                 // of the largest launch; 0: unknown
  double multiprocessors = 0;        // 0: unknown
};

// Below this share of what must cross the memory bus, the work was not done (or the caches were not
// cold, or `cost` is too high).
inline constexpr double k_least_share_of_bytes = 0.9;

// The reason in words when the counters of a cold launch show too few bytes; nothing when they are
// enough or were not counted.
std::optional<std::string> work_not_done(const MetricValues& metrics,
                                         const CounterContext& context);

}  // namespace kernelloop
