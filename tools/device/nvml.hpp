// What the management library of the driver says about a GPU while it works: power, and whether it
// holds itself back. Without the library, or where a value is not to be had, that is "unknown".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kernelloop {

// Nanoseconds that a GPU spent held back, since some moment in the past, by reason. A reason that
// the driver does not count stays 0.
struct ThrottleCounters {
  std::uint64_t power_cap = 0;
  std::uint64_t sync_boost = 0;
  std::uint64_t software_thermal = 0;
  std::uint64_t hardware_thermal = 0;
  std::uint64_t power_brake = 0;
};

// Why a GPU was held back between two readings: "power cap", "hardware thermal", ...
std::vector<std::string> throttling_between(const ThrottleCounters& before,
                                            const ThrottleCounters& after);

class GpuMonitor {
 public:
  // `uuid` is the driver's ("GPU-..."). A library that is missing or refuses makes a monitor that
  // knows nothing; why() then says the reason.
  explicit GpuMonitor(const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  [[nodiscard]] bool works() const noexcept { return device_ != nullptr; }
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

  // All zero when unknown.
  [[nodiscard]] ThrottleCounters throttling() const;
  [[nodiscard]] double power_watts() const;  // 0: unknown

  // Processes that compute on the GPU, by process id, but for those of `own`. The driver tells the
  // ids that the caller's namespace has, of processes that are in it. Where none of them is in
  // `own` they are of another namespace; one is then taken for ours, which is there. Empty when
  // unknown.
  [[nodiscard]] std::vector<unsigned> foreign_processes(const std::vector<unsigned>& own) const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  void* device_ = nullptr;
  std::string why_;
};

}  // namespace kernelloop
