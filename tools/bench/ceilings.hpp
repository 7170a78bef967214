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
  std::map<std::string, RoofValue> roofs;  // by name (device/roof.hpp); what a device lacks is 0
  std::int64_t buffer_bytes = 0;           // those of memory were measured with
  // Measured, and more than the device can do: of no use, so its roof is 0. In the roof's unit.
  std::map<std::string, double> implausible;

  [[nodiscard]] double operator[](const std::string& roof) const;  // 0: unknown
  // Those that were measured while another's process computed on the GPU, and may be too low.
  [[nodiscard]] std::vector<std::string> foreign() const;
};

// At least this much is moved each way: a roof of memory depends on the size, and this size is on
// the flat part of the curve. An op that moves less will not reach it.
inline constexpr std::int64_t k_roof_buffer_bytes = std::int64_t{1} << 30;

// By the datasheet, in the roof's unit; 0: unknown. A copy is both directions of one bus.
double datasheet_value(const Roof& roof, const DeviceDescription& device);

// From the cache when this device and driver were measured before at the same clocks, else measured
// and stored. A cache that is broken or cannot be written costs a measurement, never an error. CPU:
// all unknown.
Ceilings ceilings_of(TimingDevice& device, const std::filesystem::path& cache_dir);

// Measures them anew and stores them.
Ceilings measure_ceilings(TimingDevice& device, const std::filesystem::path& cache_dir);

// What a shape must move and compute.
struct CostNumbers {
  double bytes = 0;
  std::map<std::string, double> flops;
};
// Throws Error(bad_input) naming the cost expression that fails or is negative.
CostNumbers cost_of(const OpSpec& spec, const Bindings& axes);

// The one that moves most bytes; of several alike the first. There must be one.
const Workload& heaviest(const OpSpec& spec, const std::vector<Workload>& workloads);

// What a byte costs depends on how many of the bytes are read: bytes per second between the roofs
// for writing (0), copying (1/2), two streams in and one out (2/3) and reading (1), in between
// linear in the time of a byte. 0 when no roof of memory is known.
double memory_roof(const Ceilings& ceilings, double read_share);

// The share of an op's tensors that it reads, by bytes: in [0, 1].
double read_share_of(const OpSpec& spec, const Bindings& axes);

struct SpeedOfLight {
  double us = 0;
  std::string bound;  // "memory", or the class of arithmetic that takes longest
};

// max(bytes / memory roof, operations / roof of their class); nothing when no ceiling bounds the
// op.
std::optional<SpeedOfLight> speed_of_light(const CostNumbers& cost, double read_share,
                                           const Ceilings& ceilings);

}  // namespace kernelloop
