#include "bench/measured_workload.hpp"

#include "support/stopwatch.hpp"
#include "verify/output_snapshot.hpp"

#include <fmt/format.h>

#include "counters/work_done.hpp"

#include <algorithm>
#include <utility>

namespace kernelloop {
namespace {

std::string fault_text(const Fault& fault, std::string_view when) {
  return fmt::format("{} {}: {}", name_of(fault.kind), when, fault.message);
}

std::string check_time(double time, const PhysicalLimit& limit, const DeviceDescription& device) {
  if (time < limit.us) {
    return fmt::format(
        "impossible: {} is faster than {} allows: {} for {}; the kernel did not do what the op "
        "must do, or `cost` in op.json is too high",
        time_text(time), device.name, time_text(limit.us), limit.reason);
  }
  return {};
}

Timing summary_of(CacheState cache, TimeResult&& result) {
  Timing timing;
  timing.cache = cache;
  timing.samples = std::move(result.samples.front());
  const std::vector<double> counted = counted_times(timing.samples);
  timing.times = summarize(counted);
  timing.interval = median_interval(counted);
  timing.set_aside = static_cast<int>(timing.samples.size() - counted.size());
  std::vector<double> clocks;
  for (const TimeSample& sample : timing.samples) {
    if (sample.clock_mhz > 0) clocks.push_back(sample.clock_mhz);
  }
  if (!clocks.empty()) timing.clock_mhz = median(clocks);
  timing.launches_per_sample = result.launches_per_sample;
  timing.addresses = result.addresses;
  timing.graph = result.graph;
  timing.power_watts = result.power_watts;
  timing.throttling = std::move(result.throttling);
  timing.rechecks = result.rechecks;
  return timing;
}

// Times one version on one workload.
class Measurement {
 public:
  Measurement(const MeasureRequest& request, const WorkloadCase& one, const ResolvedPlan& plan,
              TimingDevice& device, int module, MeasurementCost& spent)
      : request_(request),
        one_(one),
        plan_(plan),
        device_(device),
        module_(module),
        spent_(spent) {}

  // A run of its own on every set, which later outputs must equal; empty, or what went wrong.
  std::string run_fresh() {
    const ScopedSeconds timed(spent_.check);
    for (std::size_t number = 0; number < one_.sets.size(); ++number) {
      if (std::string wrong = run_alone(number, request_.judge_always); !wrong.empty()) {
        return wrong;
      }
      if (request_.judge_always) {
        if (const std::optional<std::string> wrong = request_.judge(one_, number)) {
          return "its result is wrong: " + *wrong;
        }
      }
    }
    return {};
  }

  // What the GPU is seen to do, or the fault that came of it. `count`: these metrics as well.
  std::variant<RunResult, std::string> watch(std::vector<std::string> count) {
    const ScopedSeconds timed(spent_.check);
    RunRequest run;
    run.arena = &one_.sets.front();
    run.plan = plan_;
    run.watch = true;
    run.count = std::move(count);
    run.outputs = false;
    RunResult result = device_.run(run, module_);
    if (result.fault) {
      return fault_text(result.fault, "while it was watched");
    }
    return result;
  }

  std::variant<Timing, std::string> time(CacheState cache, const StoppingRule& stop) {
    TimeRequest timing;
    for (const TensorArena& set : one_.sets) timing.sets.push_back(&set);
    timing.variants = {{module_, plan_}};
    timing.cache = cache;
    timing.stop = stop;
    timing.seed = request_.seed;
    timing.digest_seed = request_.seed;
    timing.digests = digests_;
    if (request_.device == "cpu") timing.warmup = 1;
    TimeResult result = timed(spent_.timing, [&] { return device_.time(timing); });
    if (result.fault) {
      return fault_text(result.fault, "while it was timed");
    }
    if (std::string wrong = check_samples(result, timing.variants.size()); !wrong.empty()) {
      return wrong;
    }
    std::string wrong = timed(spent_.check, [&] { return check_outputs(result); });
    if (!wrong.empty()) {
      return wrong;
    }
    return summary_of(cache, std::move(result));
  }

 private:
  // Leaves the digest of the outputs, and in the arena the outputs where they are asked for.
  std::string run_alone(std::size_t number, bool outputs) {
    RunRequest run;
    run.arena = &one_.sets[number];
    run.plan = plan_;
    // Another poison than verification's, so that an element that is never written shows.
    run.poison = Poison::noise(request_.seed);
    run.digest_seed = request_.seed;
    run.outputs = outputs;
    const RunResult result = device_.run(run, module_);
    if (result.fault) {
      return fault_text(result.fault, "before timing");
    }
    if (!result.changed_inputs.empty()) {
      return fmt::format("it changed the input '{}'", result.changed_inputs.front());
    }
    digests_.resize(one_.sets.size());
    digests_[number] = result.digest.value();
    return {};
  }

  // Whether the outputs that timed launches left hold; empty, or what is wrong with them.
  std::string check_outputs(const TimeResult& result) {
    for (const int number : result.unlike) {
      const auto set = static_cast<std::size_t>(number);
      if (!request_.judge) {
        return "the last timed launch left another result than a run by itself" + where(set);
      }
      if (const std::optional<std::string> wrong = request_.judge(one_, set)) {
        return "the last timed launch left a wrong result: " + *wrong;
      }
    }
    const TimeResult::Rechecks& rechecks = result.rechecks;
    if (rechecks.differing > 0 && request_.spec->precision.deterministic) {
      return fmt::format(
          "of {} timed launches whose outputs were looked at, {} left another result than the last "
          "one on the same data; an op whose result may change from run to run must say so "
          "(`precision.deterministic`)",
          rechecks.count, rechecks.differing);
    }
    return {};
  }

  // The first element of a timed launch's outputs that a run by itself makes another.
  std::string where(std::size_t set) {
    const OutputSnapshot timed(*request_.spec, one_.axes, one_.sets[set]);
    if (!run_alone(set, true).empty()) return {};
    const auto difference = timed.first_difference(one_.sets[set]);
    return difference ? fmt::format(", first at {}{}", difference->output, difference->index) : "";
  }

  const MeasureRequest& request_;
  const WorkloadCase& one_;
  const ResolvedPlan& plan_;
  TimingDevice& device_;
  int module_;
  MeasurementCost& spent_;
  std::vector<std::uint64_t> digests_;  // of the outputs of each set, of the run by itself
};

// Holds the cold times against a second witness; empty, or what is wrong with them.
std::string watch(const MeasureRequest& request, const WorkloadCase& one, const ResolvedPlan& plan,
                  const DeviceDescription& device, Measurement& measurement,
                  MeasuredWorkload& result) {
  const bool count = one.workload.name == request.counted;
  auto watched = measurement.watch(count ? memory_metrics() : std::vector<std::string>());
  if (auto* wrong = std::get_if<std::string>(&watched)) {
    return std::move(*wrong);
  }
  RunResult& seen = std::get<RunResult>(watched);
  result.watched = referee(plan, seen.activity);
  if (result.watched->status == RefereeVerdict::Status::disagreed) {
    return "the referee disagrees: " + result.watched->reason;
  }
  const std::string wrong = contradiction(*result.watched, result.cold.times.median);
  if (!wrong.empty()) {
    return "the referee disagrees: " + wrong;
  }
  if (!count) {
    return {};
  }
  result.counted = std::move(seen.counters);
  CounterContext context;
  context.minimum_bytes = result.cost.bytes;
  context.output_bytes = total_bytes(request.spec->outputs, one.axes);
  context.l2_bytes = static_cast<double>(device.l2_bytes);
  return work_not_done(result.counted->values, context).value_or("");
}

// L2 can still hold an eighth of the tensors that rotate.
constexpr double k_rotating_share = 0.85;

// What shows how a kernel behaves, but does not count, is timed with less effort.
StoppingRule brief(StoppingRule stop) {
  stop.min_samples = std::min(stop.min_samples, 10);
  stop.max_samples = std::min(stop.max_samples, 40);
  stop.budget = std::chrono::milliseconds(200);
  return stop;
}

}  // namespace

std::string check_samples(const TimeResult& result, std::size_t variants) {
  if (result.samples.size() != variants) {
    return "the device did not return the samples of every version";
  }
  for (const std::vector<TimeSample>& samples : result.samples) {
    if (samples.empty()) return "the device returned no sample";
    for (const TimeSample& sample : samples) {
      if (!(sample.us > 0)) return "a sample of no time at all: nothing ran";
    }
  }
  return {};
}

std::vector<double> counted_times(const std::vector<TimeSample>& samples) {
  constexpr std::size_t k_enough = 10;
  std::vector<double> calm;
  std::vector<double> alone;
  std::vector<double> all;
  for (const TimeSample& sample : samples) {
    all.push_back(sample.us);
    if (sample.foreign) continue;
    alone.push_back(sample.us);
    if (!sample.throttled) calm.push_back(sample.us);
  }
  const std::size_t enough = std::min(k_enough, all.size());
  if (calm.size() >= enough) return calm;
  return alone.size() >= enough ? alone : all;
}

bool counts_foreign(const std::vector<TimeSample>& samples) {
  const auto foreign = [](const TimeSample& sample) { return sample.foreign; };
  return std::any_of(samples.begin(), samples.end(), foreign) &&
         counted_times(samples).size() == samples.size();
}

StoppingRule stopping_rule(const std::string& device) {
  StoppingRule stop;
  if (device == "cpu") {
    stop.min_samples = 5;
    stop.max_samples = 20;
  }
  return stop;
}

std::variant<MeasuredWorkload, std::string> measure_workload(const MeasureRequest& request,
                                                             const WorkloadCase& one,
                                                             TimingDevice& device, int module,
                                                             const Ceilings& ceilings) {
  MeasuredWorkload result;
  result.workload = one.workload;
  result.data_sets = one.sets.size();
  auto planned = request.contestant->plan(one, device.device().limits);
  if (const auto* reason = std::get_if<std::string>(&planned)) {
    return *reason;
  }
  const ResolvedPlan& plan = std::get<ResolvedPlan>(planned);
  Measurement measurement(request, one, plan, device, module, result.spent);
  if (std::string wrong = measurement.run_fresh(); !wrong.empty()) {
    return wrong;
  }
  const StoppingRule stop = stopping_rule(request.device);
  auto cold = measurement.time(CacheState::cold, stop);
  if (auto* wrong = std::get_if<std::string>(&cold)) {
    return std::move(*wrong);
  }
  result.cold = std::get<Timing>(std::move(cold));
  result.cost = cost_of(*request.spec, one.axes);
  if (request.device != "cpu") {
    result.limit = physical_limit(*request.spec, one.axes, result.cost, device.device(),
                                  result.cold.clock_mhz);
    std::string wrong = check_time(result.cold.times.median, result.limit, device.device());
    if (!wrong.empty()) {
      return wrong;
    }
    if (!plan.host) {
      wrong = watch(request, one, plan, device.device(), measurement, result);
      if (!wrong.empty()) {
        return wrong;
      }
    }
    result.light = speed_of_light(result.cost, read_share_of(*request.spec, one.axes), ceilings);
    for (const CacheState cache : {CacheState::hot, CacheState::rotating}) {
      const bool wanted = cache == CacheState::hot || result.cold.times.median < k_short_launch_us;
      if (!wanted) continue;
      auto more = measurement.time(cache, brief(stop));
      if (auto* reason = std::get_if<std::string>(&more)) {
        return std::move(*reason);
      }
      if (cache == CacheState::rotating) {
        PhysicalLimit limit = result.limit;
        limit.us *= k_rotating_share;
        wrong = check_time(std::get<Timing>(more).times.median, limit, device.device());
        if (!wrong.empty()) {
          return "on rotating tensors " + wrong;
        }
      }
      auto& place = cache == CacheState::hot ? result.hot : result.rotating;
      place = std::get<Timing>(std::move(more));
    }
  }
  return result;
}

}  // namespace kernelloop
