// What a GPU is seen to do during launches, by CUPTI's activity records: evidence from outside of
// the events that a time is read from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kernelloop {

struct Activity {
  enum class Kind { kernel, copy, fill, allocation };
  static constexpr int k_nobody = -1;

  Kind kind = Kind::kernel;
  std::string name;          // of a kernel
  int iteration = k_nobody;  // whose launches caused it
  double begin_us = 0;       // on a clock of the pass's own; 0 of an allocation
  double end_us = 0;
  bool in_stream = true;  // the one that the launches went into
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::array<std::int64_t, 3> cluster{1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t bytes = 0;  // copied, filled or allocated
};

struct ActivityResult {
  std::vector<Activity> records;  // but for the harness's own
  std::vector<double> event_us;   // of each iteration, by events
  bool held = true;               // no launch between the events waited for the host
  std::int64_t dropped = 0;       // records that found no room
  std::string reason;             // why there are none; empty when there are
};

}  // namespace kernelloop
