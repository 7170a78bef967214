// Times one workload of a version and holds the result against what must be true of it.
#pragma once

#include "bench/bench.hpp"
#include "bench/ceilings.hpp"
#include "bench/physics.hpp"
#include "bench/statistics.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kernelloop {

// Where the wall time of a measurement went, in seconds.
struct MeasurementCost {
  double prepare = 0.0;  // drawing the inputs
  double check = 0.0;   // the run before timing, comparing outputs, the reference where it is asked
  double timing = 0.0;  // samples with warm-up and flushing
};

struct MeasuredWorkload {
  Workload workload;
  std::vector<double> samples_us;  // in the order taken
  std::vector<double> clock_mhz;   // per sample; empty when unknown
  Summary times;                   // of samples_us
  CostNumbers cost;
  std::optional<double> sol_us;  // the least time the measured ceilings allow
  PhysicalLimit limit;           // the least time the datasheet allows
  MeasurementCost spent;
};

// How many samples, for how long; a CPU sample is a whole emulated grid, so fewer do.
TimeRequest timing_settings(const std::string& device);

// The times, or why the version fails: a fault, outputs of the last timed launch that are not those
// of a fresh run (and not right by the reference either), a time below what the datasheet allows.
// `memory` is used for the tensors where it is large enough, and comes back with the times.
std::variant<MeasuredWorkload, std::string> measure_workload(const BenchRequest& request,
                                                             const Workload& workload,
                                                             TimingDevice& device, int module,
                                                             const Ceilings& ceilings,
                                                             std::optional<TensorArena>& memory);

}  // namespace kernelloop
