#include "bench/physics.hpp"

#include "bench/peak_rates.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

constexpr double k_us_per_second = 1e6;

PhysicalLimit memory_limit(const OpSpec& spec, const Bindings& axes, const CostNumbers& cost,
                           const DeviceDescription& device) {
  if (!(device.datasheet_bandwidth > 0)) return {};
  const double kept =
      std::min(total_bytes(spec.outputs, axes), static_cast<double>(device.l2_bytes));
  const double bytes = std::max(0.0, cost.bytes - kept);
  return {k_physics_margin * bytes / device.datasheet_bandwidth * k_us_per_second,
          fmt::format("{:.4g} bytes over a memory bus of {:.4g} GB/s", bytes,
                      device.datasheet_bandwidth * 1e-9)};
}

PhysicalLimit arithmetic_limit(const OpSpec& spec, const std::string& arithmetic, double operations,
                               const DeviceDescription& device, double clock_hz) {
  const std::optional<PeakRate> peak = peak_rate(device, clock_hz, spec, arithmetic);
  if (!peak) return {};
  const std::string served =
      peak->unit == arithmetic ? "" : fmt::format(" (on its {} unit)", peak->unit);
  return {k_physics_margin * operations / peak->operations_per_second * k_us_per_second,
          fmt::format("{:.4g} {} operations{} at a dense peak of {:.4g} {} ({} "
                      "multiprocessors at {:.0f} MHz)",
                      operations, arithmetic, served, peak->operations_per_second * 1e-12,
                      arithmetic.compare(0, 3, "int") == 0 ? "TOP/s" : "TFLOP/s",
                      device.multiprocessors, clock_hz * 1e-6)};
}

}  // namespace

PhysicalLimit physical_limit(const OpSpec& spec, const Bindings& axes, const CostNumbers& cost,
                             const DeviceDescription& device, double measured_clock_mhz) {
  PhysicalLimit limit = memory_limit(spec, axes, cost, device);
  const double clock_hz = std::max(device.highest_clock_hz, measured_clock_mhz * 1e6);
  if (!(clock_hz > 0)) return limit;
  for (const auto& [arithmetic, operations] : cost.flops) {
    PhysicalLimit one = arithmetic_limit(spec, arithmetic, operations, device, clock_hz);
    if (one.us > limit.us) limit = std::move(one);
  }
  return limit;
}

}  // namespace kernelloop
