// A device that returns what a test tells it to.
#pragma once

#include "bench/timing_device.hpp"

#include <deque>
#include <functional>
#include <vector>

namespace kernelloop {

class ScriptedDevice : public TimingDevice {
 public:
  ScriptedDevice() {
    description.kind = "cuda";
    description.name = "Test GPU";
    description.uuid = "GPU-1";
    description.driver = "1.0";
    description.memory_bytes = std::int64_t{1} << 37;
    description.datasheet_bandwidth = 4.8e11;
  }

  const DeviceDescription& device() override { return description; }
  int load(const Artifact& artifact) override {
    loaded.push_back(artifact);
    return static_cast<int>(loaded.size()) - 1;
  }
  RunResult run(const RunRequest& request, int) override {
    poisons.push_back(request.poison);
    write_outputs(*request.arena, run_value);
    return run_result;
  }
  TimeResult time(const TimeRequest& request) override {
    times.push_back(request);
    write_outputs(*request.arena, time_value);
    if (time_result) return time_result(request);
    TimeResult result;
    result.samples_us.assign(request.variants.size(), {10.0, 11.0, 12.0, 13.0, 14.0});
    result.clock_mhz = {1980, 1980, 1970, 1980, 1980};
    return result;
  }
  double measure_copy(std::int64_t bytes) override {
    copies.push_back(bytes);
    return copy_bandwidth;
  }

  DeviceDescription description;
  std::string output = "y";
  std::byte run_value{1};
  std::byte time_value{1};
  RunResult run_result;
  std::function<TimeResult(const TimeRequest&)> time_result;
  double copy_bandwidth = 4e11;

  std::vector<Artifact> loaded;
  std::vector<Poison> poisons;
  std::vector<TimeRequest> times;
  std::vector<std::int64_t> copies;

 private:
  void write_outputs(const TensorArena& arena, std::byte value) const {
    for (std::byte& one : arena.bytes(output)) one = value;
  }
};

}  // namespace kernelloop
