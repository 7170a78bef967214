// What the units of a GPU can do at most: operations per second by arithmetic class, from its
// architecture, its number of multiprocessors and its highest clock.
#pragma once

#include "device/worker_client.hpp"
#include "spec/op_spec.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace kernelloop {

struct PeakRate {
  double operations_per_second = 0;
  std::string unit;  // the class of the unit that reaches it: "bf16_tensor"
};

// The fastest that `device` at `clock_hz` can do operations that `spec` declares in the class
// `arithmetic`: on that class's own unit, or on a faster one that the declared precision lets serve
// it (bfloat16 tensor cores for a float32 sum over bfloat16 inputs). Dense rates: no spec declares
// sparsity. Nothing for a class or an architecture that is not in the table: it then bounds
// nothing.
std::optional<PeakRate> peak_rate(const DeviceDescription& device, double clock_hz,
                                  const OpSpec& spec, std::string_view arithmetic);

// Operations per clock and multiprocessor of one unit of an architecture ("sm_90"); 0 when unknown.
double operations_per_clock(std::string_view architecture, std::string_view unit);

}  // namespace kernelloop
