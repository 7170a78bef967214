// The time that no correct launch can beat on a device, by its datasheet.
#pragma once

#include "bench/ceilings.hpp"

#include <string>

namespace kernelloop {

struct PhysicalLimit {
  double us = 0;       // 0: nothing is known of the device
  std::string reason;  // "5.5e+11 bf16_tensor operations at its dense peak of 1070 TFLOP/s (...)"
};

// Clocks, bus widths and published rates are rounded: a time is impossible below this share of what
// they give.
inline constexpr double k_physics_margin = 0.97;

// The largest of
// - bytes / (bus width x memory clock). The L2 cache was flushed before the launch, so inputs come
//   over the bus; of the outputs, what fits into L2 may still be there when the kernel ends, and
//   does not count. A device without L2 (unknown) is given none.
// - operations / peak of their class (bench/peak_rates.hpp), at the highest clock of the device or
//   `measured_clock_mhz`, seen while it was timed (0: unknown), whichever is higher: boards may
//   run faster than their datasheet says.
PhysicalLimit physical_limit(const OpSpec& spec, const Bindings& axes, const CostNumbers& cost,
                             const DeviceDescription& device, double measured_clock_mhz);

}  // namespace kernelloop
