#include "bench/bench.hpp"

#include "bench/ceilings.hpp"
#include "bench/measured_workload.hpp"
#include "bench/rules.hpp"
#include "support/error.hpp"
#include "support/statistics.hpp"
#include "support/stopwatch.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kernelloop {
namespace {

Json head_of(const BenchRequest& request, const std::string& status, const std::string& reason) {
  return {{"schema_version", 1}, {"op", request.compiled.op}, {"version", request.compiled.version},
          {"status", status},    {"reason", reason},          {"rules", k_measurement_rules}};
}

BenchReport without_times(const BenchRequest& request, const std::string& status,
                          const std::string& reason) {
  Json samples = {{"schema_version", 1},
                  {"op", request.compiled.op},
                  {"version", request.compiled.version},
                  {"workloads", Json::array()}};
  return {head_of(request, status, reason), std::move(samples)};
}

// Why this version is not timed at all; empty when it is.
std::string reason_to_skip(const BenchRequest& request) {
  const CompiledVersion& compiled = request.compiled;
  if (compiled.status != CompiledVersion::Status::compiled) {
    return compiled.reason.empty() ? "it did not compile" : compiled.reason;
  }
  const std::string status = request.verified.value("status", "");
  if (status != "passed") {
    for (const char* member : {"reason", "summary"}) {
      if (const std::string text = request.verified.value(member, ""); !text.empty()) {
        return text;
      }
    }
    return "verification: " + (status.empty() ? "no verdict" : status);
  }
  if (compiled.availability != CompiledVersion::Availability::built) {
    return fmt::format("no artefact for the {} device{}{}", request.device,
                       compiled.artifact_reason.empty() ? "" : ": ", compiled.artifact_reason);
  }
  return {};
}

void require_same_source(const BenchRequest& request) {
  const std::string verified = request.verified.value("source_sha256", "");
  if (verified != request.compiled.source_sha256) {
    fail(ExitCode::bad_input,
         "{} {}: verify.json is about another source than compile.json; verify the version again",
         request.compiled.op, request.compiled.version);
  }
}

Json known(double value) { return value > 0 ? Json(value) : Json(nullptr); }

// What every way of timing shows.
Json timing_json(const Timing& timing) {
  const Summary& times = timing.times;
  const bool bounded = std::isfinite(timing.interval.low) && std::isfinite(timing.interval.high);
  return {
      {"samples", times.count},
      {"set_aside", timing.set_aside},
      {"throttling", timing.throttling},
      {"median_us", times.median},
      {"interval_us", bounded ? Json{timing.interval.low, timing.interval.high} : Json(nullptr)},
      {"min_us", times.min},
      {"p25_us", times.p25},
      {"p75_us", times.p75},
      {"spread", times.spread},
      {"clock_mhz", known(std::round(timing.clock_mhz))},
      {"power_watts", known(std::round(timing.power_watts))},
      {"addresses", timing.addresses},
      {"rechecked", timing.rechecks.count}};
}

// Of a timing with many launches in a sample.
Json batch_json(const std::optional<Timing>& timing) {
  if (!timing) return nullptr;
  Json json = timing_json(*timing);
  json["launches_per_sample"] = timing->launches_per_sample;
  json["graph"] = timing->graph;
  return json;
}

Json workload_json(const MeasuredWorkload& one) {
  Json axes = Json::object();
  for (const auto& [name, value] : one.workload.axes) {
    axes[name] = value;
  }
  Json flops = Json::object();
  for (const auto& [name, value] : one.cost.flops) {
    flops[name] = value;
  }
  const double median_us = one.cold.times.median;
  Json json{{"name", one.workload.name},
            {"axes", axes},
            {"weight", one.workload.weight},
            {"data_sets", one.data_sets}};
  json.update(timing_json(one.cold));
  json.update({{"bytes", one.cost.bytes},
               {"flops", flops},
               {"bytes_per_second", one.cost.bytes / (median_us * 1e-6)},
               {"datasheet_us", known(one.limit.us)},
               {"sol_us", one.light ? Json(one.light->us) : Json(nullptr)},
               {"sol", one.light ? Json(one.light->us / median_us) : Json(nullptr)},
               {"bound", one.light ? Json(one.light->bound) : Json(nullptr)},
               {"hot", batch_json(one.hot)},
               {"rotating", batch_json(one.rotating)}});
  return json;
}

Json samples_json(const std::vector<TimeSample>& samples) {
  Json us = Json::array();
  Json clocks = Json::array();
  Json sets = Json::array();
  Json throttled = Json::array();
  for (const TimeSample& sample : samples) {
    us.push_back(sample.us);
    clocks.push_back(known(sample.clock_mhz));
    sets.push_back(sample.set);
    throttled.push_back(sample.throttled);
  }
  return {{"us", us}, {"clock_mhz", clocks}, {"set", sets}, {"throttled", throttled}};
}

Json samples_json(const MeasuredWorkload& one) {
  const auto of = [](const std::optional<Timing>& timing) {
    return timing ? samples_json(timing->samples) : Json(nullptr);
  };
  return {{"name", one.workload.name},
          {"cold", samples_json(one.cold.samples)},
          {"hot", of(one.hot)},
          {"rotating", of(one.rotating)}};
}

Json summary_json(const std::vector<MeasuredWorkload>& measured) {
  std::vector<double> times;
  std::vector<double> fractions;
  std::vector<double> weights;
  for (const MeasuredWorkload& one : measured) {
    times.push_back(one.cold.times.median);
    weights.push_back(one.workload.weight);
    if (one.light) {
      fractions.push_back(one.light->us / one.cold.times.median);
    }
  }
  const bool all_bounded = fractions.size() == times.size();
  return {{"time_us", weighted_geometric_mean(times, weights)},
          {"sol", all_bounded ? Json(weighted_geometric_mean(fractions, weights)) : Json(nullptr)}};
}

// What no workload accounts for (starting, ceilings) is in "total" alone.
Json spent_json(const std::vector<MeasuredWorkload>& measured, double total) {
  MeasurementCost spent;
  for (const MeasuredWorkload& one : measured) {
    spent.prepare += one.spent.prepare;
    spent.check += one.spent.check;
    spent.timing += one.spent.timing;
  }
  return {{"prepare", rounded_to_milliseconds(spent.prepare)},
          {"check", rounded_to_milliseconds(spent.check)},
          {"timing", rounded_to_milliseconds(spent.timing)},
          {"total", rounded_to_milliseconds(total)}};
}

Json ceilings_json(const Ceilings& ceilings) {
  if (ceilings.roofs.empty()) {
    return Json::object();
  }
  Json roofs = Json::object();
  for (const auto& [name, value] : ceilings.roofs) {
    roofs[name] = value.value;
  }
  return {{"roofs", roofs}, {"buffer_bytes", ceilings.buffer_bytes}};
}

void add_device(Json& report, const DeviceDescription& device) {
  report["device"] = to_json(device);
  report["mode"] = device.kind == "cpu" ? "wall" : "cold";
  report["clocks"] = "as found";
}

}  // namespace

BenchReport bench(const BenchRequest& request, TimingDevice& device) {
  double total = 0.0;
  std::optional<ScopedSeconds> whole(total);
  if (const std::string reason = reason_to_skip(request); !reason.empty()) {
    return without_times(request, "skipped", reason);
  }
  require_same_source(request);
  const std::vector<Workload> workloads = request.spec->workloads_for(request.device);
  if (workloads.empty()) {
    return without_times(
        request, "skipped",
        fmt::format("{} has no workload for the {} device", request.compiled.op, request.device));
  }
  const Ceilings ceilings = ceilings_of(device, request.cache_dir);
  const int module = device.load(artifact_for(request.compiled, device.device()));
  BenchReport report = without_times(request, "measured", "");
  add_device(report.bench, device.device());
  report.bench["ceilings"] = ceilings_json(ceilings);
  report.bench["workloads"] = Json::array();
  std::vector<MeasuredWorkload> measured;
  std::optional<TensorArena> memory = memory_for(*request.spec, workloads);
  for (const Workload& workload : workloads) {
    auto result = measure_workload(request, workload, device, module, ceilings, memory);
    if (const auto* reason = std::get_if<std::string>(&result)) {
      BenchReport failure = without_times(request, "failed",
                                          fmt::format("workload '{}': {}", workload.name, *reason));
      add_device(failure.bench, device.device());
      return failure;
    }
    measured.push_back(std::get<MeasuredWorkload>(std::move(result)));
    report.bench["workloads"].push_back(workload_json(measured.back()));
    report.samples["workloads"].push_back(samples_json(measured.back()));
  }
  report.bench["summary"] = summary_json(measured);
  whole.reset();
  report.bench["cost_s"] = spent_json(measured, total);
  return report;
}

}  // namespace kernelloop
