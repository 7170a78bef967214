#include "bench/rematch.hpp"

#include "bench/measured_workload.hpp"
#include "bench/rules.hpp"
#include "bench/workload_case.hpp"
#include "device/sampling.hpp"
#include "support/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

// In blocks A B C C B A: each version twice.
constexpr std::size_t k_samples_per_block = 2;
// Fine enough to see 0.5 % with certainty, where the machine allows it.
constexpr StoppingRule k_rule{40, 160, 0.001, std::chrono::milliseconds(3000)};
// A single cold launch that is shorter cannot show 1 %; many on rotating tensors can.
constexpr double k_single_launch_us = 50;

struct Modules {
  int incumbent = 0;
  int incumbent_again = 0;
  int challenger = 0;
};

struct Round {
  CacheState cache;
  PairedSamples samples;
  bool foreign = false;  // another's process computed on the GPU meanwhile
};

CacheState cache_state_for(const RematchRequest& request, TimeRequest look,
                           const TimeRequest::Variant& incumbent, TimingDevice& device) {
  if (request.device == "cpu") return CacheState::cold;
  look.variants = {incumbent};
  look.stop = {5, 5, 0, std::chrono::milliseconds(100)};
  const TimeResult result = device.time(look);
  // A fault shows again, and is reported, when all are timed.
  if (result.fault || result.samples.empty() || result.samples.front().empty()) {
    return CacheState::cold;
  }
  return median(counted_times(result.samples.front())) < k_single_launch_us ? CacheState::rotating
                                                                            : CacheState::cold;
}

// The times, or why there are none.
std::variant<Round, std::string> take_samples(const RematchRequest& request,
                                              const Workload& workload, const Modules& modules,
                                              TimingDevice& device) {
  const WorkloadCase one = prepare_workload(*request.spec, workload, request.device, request.seed);
  const LaunchLimits& limits = device.device().limits;
  auto incumbent = request.incumbent.plan(one, limits);
  auto challenger = request.challenger.plan(one, limits);
  for (const auto* planned : {&incumbent, &challenger}) {
    if (const auto* reason = std::get_if<std::string>(planned)) {
      return *reason;
    }
  }
  const ResolvedPlan& plan = std::get<ResolvedPlan>(incumbent);
  TimeRequest timing;
  for (const TensorArena& set : one.sets) timing.sets.push_back(&set);
  timing.seed = request.seed;
  timing.cache = cache_state_for(request, timing, {modules.incumbent, plan}, device);
  timing.stop = k_rule;
  timing.variants = {{modules.incumbent, plan},
                     {modules.incumbent_again, plan},
                     {modules.challenger, std::get<ResolvedPlan>(challenger)}};
  const TimeResult timed = device.time(timing);
  if (timed.fault) {
    return fmt::format("{} in {}: {}", name_of(timed.fault.kind),
                       timed.faulty_variant == 2 ? request.challenger.name : request.incumbent.name,
                       timed.fault.message);
  }
  if (std::string wrong = check_samples(timed, timing.variants.size()); !wrong.empty()) {
    return wrong;
  }
  const auto times_of = [&](std::size_t variant) {
    std::vector<double> times = block_means(timed.samples[variant], k_samples_per_block);
    for (double& time : times) time = std::exp(time);
    return times;
  };
  Round round{timing.cache,
              {times_of(0), times_of(1), times_of(2), workload.weight},
              counts_foreign(timed.samples.front())};
  const std::size_t blocks = round.samples.incumbent_us.size();
  if (blocks == 0 || round.samples.incumbent_again_us.size() != blocks ||
      round.samples.challenger_us.size() != blocks) {
    return std::string("the device returned no whole blocks of samples");
  }
  return round;
}

Json workload_json(const Workload& workload, const Round& round) {
  const PairedSamples& samples = round.samples;
  const double incumbent = median(samples.incumbent_us);
  const double challenger = median(samples.challenger_us);
  return {{"name", workload.name},
          {"cache", name_of(round.cache)},
          {"samples", k_samples_per_block * samples.incumbent_us.size()},
          {"incumbent_us", incumbent},
          {"challenger_us", challenger},
          {"ratio", challenger / incumbent},
          {"foreign", round.foreign}};
}

}  // namespace

Json rematch(const RematchRequest& request, TimingDevice& device) {
  const std::vector<Workload> workloads = request.spec->workloads_for(request.device);
  if (workloads.empty()) {
    fail(ExitCode::bad_input, "{} has no workload for the {} device; add one to op.json",
         request.spec->name, request.device);
  }
  Modules modules;
  modules.incumbent = device.load(request.incumbent.artifact);
  modules.incumbent_again = device.load(request.incumbent.artifact);
  modules.challenger = device.load(request.challenger.artifact);
  Json report = {{"schema_version", 1},
                 {"op", request.spec->name},
                 {"incumbent", request.incumbent.name},
                 {"challenger", request.challenger.name},
                 {"status", "compared"},
                 {"reason", ""},
                 {"rules", k_measurement_rules},
                 {"device", to_json(device.device())},
                 {"mode", request.device == "cpu" ? "wall" : "cold"}};
  std::vector<PairedSamples> samples;
  Json measured = Json::array();
  for (const Workload& workload : workloads) {
    auto result = take_samples(request, workload, modules, device);
    if (const auto* reason = std::get_if<std::string>(&result)) {
      report["status"] = "failed";
      report["reason"] = fmt::format("workload '{}': {}", workload.name, *reason);
      return report;
    }
    Round& round = std::get<Round>(result);
    measured.push_back(workload_json(workload, round));
    samples.push_back(std::move(round.samples));
  }
  const Comparison comparison = compare(samples, request.seed);
  report["verdict"] = name_of(comparison.verdict);
  report["ratio"] = comparison.ratio();
  report["interval"] = {std::exp(comparison.interval.low), std::exp(comparison.interval.high)};
  report["noise_floor"] = comparison.noise_floor;
  report["self_ratio"] = comparison.self_ratio;
  report["workloads"] = measured;
  return report;
}

std::string rematch_line(const Json& report) {
  const std::string op = report.at("op").get<std::string>();
  const std::string incumbent = report.at("incumbent").get<std::string>();
  const std::string challenger = report.at("challenger").get<std::string>();
  if (report.at("status") != "compared") {
    return fmt::format("{}: {} and {} could not be compared: {}", op, challenger, incumbent,
                       report.at("reason").get<std::string>());
  }
  const Json& device = report.at("device");
  const Json& workloads = report.at("workloads");
  const bool foreign = std::any_of(workloads.begin(), workloads.end(), [](const Json& workload) {
    return workload.value("foreign", false);
  });
  return fmt::format(
      "{}: {} against {}: {}, {:.3f} of its time ({:.3f} to {:.3f}; noise {:.1f} %)  {}{}", op,
      challenger, incumbent, report.at("verdict").get<std::string>(),
      report.at("ratio").get<double>(), report.at("interval").at(0).get<double>(),
      report.at("interval").at(1).get<double>(), 100 * report.at("noise_floor").get<double>(),
      device.value("kind", "") == "cpu" ? std::string("wall on the CPU device (emulation)")
                                        : device.value("name", "unknown device"),
      foreign ? "\n  noisy: another process computed on the GPU meanwhile" : "");
}

}  // namespace kernelloop
