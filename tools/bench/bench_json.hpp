// Measurements as JSON: the parts of bench.json, samples.json and baselines.json
// (docs/formats.md).
#pragma once

#include "bench/measured_workload.hpp"
#include "support/json.hpp"

#include <vector>

namespace kernelloop {

Json workload_json(const MeasuredWorkload& one);
Json samples_json(const MeasuredWorkload& one);
// {time_us, sol}: weighted geometric means; sol is null unless every workload has one.
Json summary_json(const std::vector<MeasuredWorkload>& measured);

// {device, mode, clocks}
Json device_json(const DeviceDescription& device);
// The same with {ceilings}.
Json setting_json(const DeviceDescription& device, const Ceilings& ceilings);

}  // namespace kernelloop
