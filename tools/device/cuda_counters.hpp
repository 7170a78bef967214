// Counts what the hardware does during the launches of a plan, by CUPTI's range profiler.
#pragma once

#include "device/cuda_objects.hpp"
#include "device/worker_client.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kernelloop {

// Runs `prepare` and then `work` as often as the metrics take passes, and counts during `work`
// alone, of the metrics those that the chip has. Both must leave the device idle when `finish`
// returns. The range profiler neither flushes caches nor fixes clocks: that is what `prepare` is
// for. What cannot be counted here (no CUPTI, no permission, an unknown chip) is a reason in the
// result, never an error.
CounterResult count_events(const std::vector<std::string>& metrics,
                           const std::function<void()>& prepare, const std::function<void()>& work);

// Loads CUPTI's tables, which takes a tenth of a second the first time; nothing where there are
// none.
void load_counters();

}  // namespace kernelloop
