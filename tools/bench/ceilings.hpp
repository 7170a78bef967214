// The measured roofs of a device, and the least time that they leave an operator.
#pragma once

#include "bench/timing_device.hpp"
#include "spec/op_spec.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace kernelloop {

struct Ceilings {
  double copy_bytes_per_second = 0;    // read and written bytes; 0: unknown
  std::int64_t copy_buffer_bytes = 0;  // the buffers that it was measured with
  // Operations per second by arithmetic class of the op spec ("fp32", "bf16_tensor"). A class
  // without an entry bounds nothing.
  std::map<std::string, double> operations_per_second;
};

// At least this much is copied each way: a roof depends on the size, and this size is on the flat
// part of the curve. An op that moves less will not reach it.
inline constexpr std::int64_t k_roof_buffer_bytes = std::int64_t{1} << 30;

// From the cache when this device and driver were measured before, else measured and stored. A
// cache that is broken or cannot be written costs a measurement, never an error. CPU: all unknown.
Ceilings ceilings_of(TimingDevice& device, const std::filesystem::path& cache_dir);

// What a shape must move and compute.
struct CostNumbers {
  double bytes = 0;
  std::map<std::string, double> flops;
};
// Throws Error(bad_input) naming the cost expression that fails or is negative.
CostNumbers cost_of(const OpSpec& spec, const Bindings& axes);

// max(bytes / copy, operations / rate of their class), in microseconds; nothing when no ceiling
// bounds the op.
std::optional<double> speed_of_light_us(const CostNumbers& cost, const Ceilings& ceilings);

}  // namespace kernelloop
