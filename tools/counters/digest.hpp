// What counters say about a kernel, in the order in which an expert reads them.
#pragma once

#include "counters/work_done.hpp"

#include <string>
#include <vector>

namespace kernelloop {

enum class Bound { memory, tensor, pipe, issue, latency, unknown };
const char* name_of(Bound bound);

struct CounterDigest {
  Bound bound = Bound::unknown;
  std::vector<std::string> lines;  // at most thirty; the first says what bounds, with the evidence
};

// A metric that is missing costs its line and nothing else. A resource is the bound from 80 % of
// its peak on; where none comes near, latency is.
CounterDigest digest_counters(const MetricValues& metrics, const CounterContext& context);

}  // namespace kernelloop
