// A device that returns what a test tells it to.
#pragma once

#include "bench/timing_device.hpp"

#include <deque>
#include <functional>
#include <vector>

namespace kernelloop {

inline std::vector<TimeSample> samples_of(const std::vector<double>& times) {
  std::vector<TimeSample> samples;
  for (const double us : times) samples.push_back({us, 1980, 0, false});
  return samples;
}

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
    if (request.watch) {
      RunResult result;
      result.activity = watched ? watched(request) : not_watched();
      if (!request.count.empty()) {
        ++counted;
        result.counters = counters;
      }
      return result;
    }
    poisons.push_back(request.poison);
    const auto input = request.arena->bytes("x");
    first_inputs.emplace_back(input.begin(), input.end());
    write_outputs(*request.arena, run_value);
    RunResult result = run_result;
    if (request.digest_seed) result.digest = digest_of(run_value, *request.digest_seed);
    return result;
  }
  TimeResult time(const TimeRequest& request) override {
    times.push_back(request);
    for (const TensorArena* set : request.sets) write_outputs(*set, time_value);
    TimeResult result;
    if (time_result) {
      result = time_result(request);
    } else {
      result.samples.assign(request.variants.size(), samples_of({10.0, 11.0, 12.0, 13.0, 14.0}));
    }
    for (std::size_t set = 0; set < request.digests.size(); ++set) {
      if (digest_of(time_value, request.digest_seed) != request.digests[set]) {
        result.unlike.push_back(static_cast<int>(set));
      }
    }
    return result;
  }
  // Of the roofs only those of memory are known, all alike.
  RoofValue measure_roof(const Roof& roof, std::int64_t bytes) override {
    if (std::string_view(roof.name) == "copy") copies.push_back(bytes);
    return {roof.unit == Roof::Unit::bytes ? copy_bandwidth : 0.0, 1980, company == roof.name};
  }

  DeviceDescription description;
  std::string output = "y";
  std::byte run_value{1};
  std::byte time_value{1};
  RunResult run_result;
  std::function<TimeResult(const TimeRequest&)> time_result;
  std::function<ActivityResult(const RunRequest&)> watched;
  CounterResult counters;  // where they are asked for
  int counted = 0;
  double copy_bandwidth = 4e11;
  std::string company;  // the roof in whose measurement another process is found

  std::vector<Artifact> loaded;
  std::vector<Poison> poisons;
  std::vector<std::vector<std::byte>> first_inputs;  // of the runs, in order
  std::vector<TimeRequest> times;
  std::vector<std::int64_t> copies;

 private:
  static ActivityResult not_watched() {
    ActivityResult activity;
    activity.reason = "no CUPTI on this GPU";
    return activity;
  }
  // Outputs hold one value throughout.
  static std::uint64_t digest_of(std::byte value, std::uint64_t seed) {
    return (seed | 1) * 257 + std::to_integer<std::uint64_t>(value);
  }
  void write_outputs(const TensorArena& arena, std::byte value) const {
    for (std::byte& one : arena.bytes(output)) one = value;
  }
};

}  // namespace kernelloop
