// The one thing that limits a version, by what was measured of it: what a speed round is about.
#pragma once

#include "loop/evidence.hpp"
#include "loop/history.hpp"

#include <optional>

namespace kernelloop {

// Of the workload that costs the most against its speed of light. Counters go before times, times
// before what the compiler says; where nothing says anything the kind is "unknown". Nothing for a
// version that was not timed. Numbers are rounded (support/rounded.hpp).
std::optional<Bottleneck> bottleneck_of(const VersionEvidence& evidence);

}  // namespace kernelloop
