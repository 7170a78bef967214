// Times one workload of a version and holds the result against what must be true of it.
#pragma once

#include "bench/bench.hpp"
#include "bench/ceilings.hpp"
#include "bench/contestant.hpp"
#include "bench/physics.hpp"
#include "bench/referee.hpp"
#include "support/statistics.hpp"

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

// What one way of timing brought.
struct Timing {
  CacheState cache = CacheState::cold;
  std::vector<TimeSample> samples;  // in the order taken
  Summary times;                    // of those that count: see counted_times
  Interval interval;                // of the median, with 95 % confidence
  int launches_per_sample = 1;
  int addresses = 1;
  bool graph = false;
  int set_aside = 0;                    // throttled or foreign samples that do not count
  double clock_mhz = 0;                 // median; 0: unknown
  double power_watts = 0;               // median; 0: unknown
  std::vector<std::string> throttling;  // reasons
  TimeResult::Rechecks rechecks;
};

struct MeasuredWorkload {
  Workload workload;
  std::size_t data_sets = 1;
  Timing cold;  // what counts: on the CPU device wall times, without a cache to flush
  std::optional<Timing> hot;
  std::optional<Timing> rotating;         // of what is short
  std::optional<RefereeVerdict> watched;  // of a GPU; a baseline makes its launches itself
  std::optional<CounterResult> counted;   // memory_metrics(), of one workload of a version
  CostNumbers cost;
  std::optional<SpeedOfLight> light;  // the least time the measured ceilings allow
  PhysicalLimit limit;                // the least time the datasheet allows
  MeasurementCost spent;
};

// What is wrong with samples of so many variants, of which no time can be told; empty when nothing.
std::string check_samples(const TimeResult& result, std::size_t variants);

// The times of the samples that were neither throttled nor taken beside another's process; where
// those are too few to speak, of all that had the GPU to themselves; else of all.
std::vector<double> counted_times(const std::vector<TimeSample>& samples);
// Whether those are all of them, foreign ones included.
bool counts_foreign(const std::vector<TimeSample>& samples);

// How many samples, for how long; a CPU sample is a whole emulated grid, so fewer do.
StoppingRule stopping_rule(const std::string& device);

// Cold launches shorter than this are also timed in a graph over rotating tensors: an event pair
// and a gap weigh too much on one of them.
inline constexpr double k_short_launch_us = 20;

struct MeasureRequest {
  const OpSpec* spec = nullptr;
  const Contestant* contestant = nullptr;
  std::string device;  // "cuda" | "cpu"
  std::uint64_t seed = 0;
  OutputJudge judge;          // as in BenchRequest
  std::string counted;        // the workload of which the bytes over the bus are counted; or ""
  bool judge_always = false;  // also before timing: nothing has verified it
};

// The times, or why the contestant fails: a fault, a referee that disagrees, outputs of a timed
// launch that are not those of a fresh run (and not right by the reference either), a time below
// what the datasheet allows. The tensors of `one` hold what the last launch left.
std::variant<MeasuredWorkload, std::string> measure_workload(const MeasureRequest& request,
                                                             const WorkloadCase& one,
                                                             TimingDevice& device, int module,
                                                             const Ceilings& ceilings);

}  // namespace kernelloop
