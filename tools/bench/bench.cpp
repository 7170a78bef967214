#include "bench/bench.hpp"

#include "bench/bench_json.hpp"
#include "bench/ceilings.hpp"
#include "bench/measured_workload.hpp"
#include "bench/rules.hpp"
#include "bench/workload_feed.hpp"
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

// When the device was this step's alone, so that records show that no two steps timed at once.
Json lease_json(const DeviceLease& lease) {
  const auto seconds = [](std::chrono::system_clock::time_point time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
  };
  return {{"device", lease.uuid},
          {"from", seconds(lease.since)},
          {"to", seconds(std::chrono::system_clock::now())}};
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
      if (std::string text = request.verified.value(member, ""); !text.empty()) {
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
  // Draws the first one while the device starts.
  WorkloadFeed feed(*request.spec, workloads, request.device, request.seed,
                    request.device != "cpu");
  const Ceilings ceilings = ceilings_of(device, request.cache_dir);
  const Contestant version = contestant_of(request.compiled, *request.spec, device.device());
  const int module = device.load(version.artifact);
  MeasureRequest measure;
  measure.spec = request.spec;
  measure.contestant = &version;
  measure.device = request.device;
  measure.seed = request.seed;
  measure.judge = request.judge;
  measure.counted = heaviest(*request.spec, workloads).name;
  BenchReport report = without_times(request, "measured", "");
  report.bench.update(setting_json(device.device(), ceilings));
  report.bench["workloads"] = Json::array();
  std::vector<MeasuredWorkload> measured;
  while (!feed.empty()) {
    WorkloadFeed::Ready ready = feed.take();
    auto result = measure_workload(measure, ready.one, device, module, ceilings);
    if (const auto* reason = std::get_if<std::string>(&result)) {
      BenchReport failure = without_times(
          request, "failed", fmt::format("workload '{}': {}", ready.one.workload.name, *reason));
      failure.bench.update(device_json(device.device()));
      return failure;
    }
    measured.push_back(std::get<MeasuredWorkload>(std::move(result)));
    measured.back().spent.prepare = ready.seconds;
    feed.give_back(std::move(ready.one));
    report.bench["workloads"].push_back(workload_json(measured.back()));
    report.samples["workloads"].push_back(samples_json(measured.back()));
  }
  report.bench["summary"] = summary_json(measured);
  if (const auto lease = device.lease()) report.samples["lease"] = lease_json(*lease);
  whole.reset();
  report.bench["cost_s"] = spent_json(measured, total);
  return report;
}

}  // namespace kernelloop
