// Measurements as JSON: the parts of bench.json, samples.json and baselines.json
// (docs/formats.md).
#pragma once

#include "bench/measured_workload.hpp"
#include "support/json.hpp"

#include <vector>

namespace kernelloop {

// The spread, (p75 - p25) / median, above which times are called noisy: more than most changes of a
// kernel bring.
inline constexpr double k_noisy_spread = 0.25;

Json workload_json(const MeasuredWorkload& one);
Json samples_json(const MeasuredWorkload& one);
// {time_us, sol, noise}: weighted geometric means, sol null unless every workload has one; why the
// times are not to be believed, null where nothing speaks against them.
Json summary_json(const std::vector<MeasuredWorkload>& measured);

// {device, mode, clocks}
Json device_json(const DeviceDescription& device);
// The same with {ceilings}.
Json setting_json(const DeviceDescription& device, const Ceilings& ceilings);

}  // namespace kernelloop
