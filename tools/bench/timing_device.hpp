// The device as the bench step sees it. The world is behind this interface: tests put a scripted
// device here, the program a worker process.
#pragma once

#include "device/worker_client.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace kernelloop {

class TimingDevice {
 public:
  TimingDevice() = default;
  virtual ~TimingDevice() = default;
  TimingDevice(const TimingDevice&) = delete;
  TimingDevice& operator=(const TimingDevice&) = delete;

  virtual const DeviceDescription& device() = 0;
  virtual int load(const Artifact& artifact) = 0;
  virtual RunResult run(const RunRequest& request, int module) = 0;
  virtual TimeResult time(const TimeRequest& request) = 0;
  virtual RoofValue measure_roof(const Roof& roof, std::int64_t bytes) = 0;
  // What keeps others from the device; nullptr: nothing.
  [[nodiscard]] virtual std::shared_ptr<const DeviceLease> lease() const { return nullptr; }
};

// A worker of `kind` ("cuda" | "cpu"), of the program kernelloop-device (empty: this one). Throws
// Error(environment) at first use when there is none.
class WorkerDevice : public TimingDevice {
 public:
  explicit WorkerDevice(const std::string& kind, const std::filesystem::path& program = {})
      : worker_(WorkerOptions{kind, program, true}) {}

  const DeviceDescription& device() override { return worker_.device(); }
  int load(const Artifact& artifact) override { return worker_.load(artifact); }
  RunResult run(const RunRequest& request, int module) override {
    return worker_.run(request, module);
  }
  TimeResult time(const TimeRequest& request) override { return worker_.time(request); }
  RoofValue measure_roof(const Roof& roof, std::int64_t bytes) override {
    return worker_.measure_roof(roof, bytes);
  }
  [[nodiscard]] std::shared_ptr<const DeviceLease> lease() const override {
    return worker_.lease();
  }

 private:
  Worker worker_;
};

}  // namespace kernelloop
