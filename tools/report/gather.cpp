#include "report/gather.hpp"

#include "loop/evidence.hpp"
#include "loop/steering.hpp"
#include "product/adopted.hpp"
#include "report/facts.hpp"
#include "report/latest.hpp"
#include "report/read_evidence.hpp"
#include "report/spending.hpp"
#include "report/table.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/json_members.hpp"
#include "support/unified_diff.hpp"
#include "support/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "languages/version_source.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

std::string bounds_of(const std::vector<ReportWorkload>& workloads) {
  std::set<std::string> bounds;
  for (const ReportWorkload& one : workloads) {
    if (!one.bound.empty()) bounds.insert(one.bound);
  }
  return fmt::format("{}", fmt::join(bounds, ", "));
}

std::string diff_from_parent(const OpConfig& config, const KnownVersion& one,
                             const std::string& parent) {
  const int number = version_number(parent);
  if (number == 0) return {};
  const fs::path before = version_source(config.version_dir(number));
  if (!fs::exists(before)) return parent + " is not there any more; nothing can be compared\n";
  return unified_diff(read_file(before), one.source, parent, version_name(one.number));
}

void add_origin(const OpConfig& config, const KnownVersion& one, ReportVersion& version) {
  const Json& origin = one.origin;
  version.version = version_name(one.number);
  version.mode = text_member(origin, "mode");
  version.parent = text_member(origin, "parent");
  if (config.languages.size() > 1) {
    const auto source = find_version_source(config.version_dir(one.number));
    if (source) version.language = source->language->title;
  }
  version.provider = origin.is_null() ? "by hand" : text_member(origin, "provider");
  version.model = text_member(origin, "model");
  version.change = text_member(origin, "summary");
  // What somebody used who wrote the version by hand was not asked for through us, nor counted: the
  // zeros of its origin say no more than that.
  if (version.provider != "manual") {
    version.input_tokens = count_member(member(origin, "tokens"), "input");
    version.output_tokens = count_member(member(origin, "tokens"), "output");
    version.cost_usd = number_member(origin, "cost_usd");
  }
  version.diff = diff_from_parent(config, one, version.parent);
}

void add_measurements(const OpConfig& config, const KnownVersion& one,
                      const VersionEvidence& evidence, ReportVersion& version) {
  const VersionRecord record = record_of(evidence, config.round_of(one.number));
  version.outcome = name_of(record.outcome);
  version.failure = record.failure;
  version.time_us = record.time_us;
  version.sol = record.sol;
  version.source_sha256 = text_member(evidence.compiled, "source_sha256");
  version.edited = !version.source_sha256.empty() && version.source_sha256 != sha256(one.source);
  version.rungs = report_rungs(evidence.verified);
  version.kernels = report_kernels(evidence.compiled);
  if (record.outcome == Outcome::verified) version.workloads = report_workloads(evidence.measured);
  version.bound = bounds_of(version.workloads);
}

ReportVersion version_on(const OpConfig& config, const ReportFacts& facts,
                         const std::string& device, const KnownVersion& one,
                         const Steering& steering) {
  ReportVersion version;
  add_origin(config, one, version);
  version.outcome = "not_measured";
  const auto evidence = evidence_on(facts, device, one, version.measured_by);
  if (evidence) add_measurements(config, one, *evidence, version);
  if (const auto rejected = steering.rejected.find(version.version);
      rejected != steering.rejected.end()) {
    version.outcome = name_of(Outcome::rejected);
    version.failure = rejected->second;
  }
  const bool built = version.measured_by == "build";
  const std::string elsewhere =
      device == "cpu" ? "only a GPU has counters" : "no counts of this device are in this build";
  version.counters = report_digest(built ? evidence->profiled : Json(), elsewhere);
  const fs::path trace = config.step_dir(one.number) / "trace.json";
  version.trace = report_digest(
      built && device != "cpu" ? read_json_if_there(trace) : Json(),
      device == "cpu" ? "only a GPU is traced"
                      : fmt::format("none was taken; build trace_{} on the GPU", config.op));
  return version;
}

void add_device(const ReportFacts& facts, const std::string& device, Report& report) {
  Json measured;  // what was timed last: of the build, else as committed
  for (const KnownVersion& one : facts.versions) {
    std::string by;
    const auto evidence = evidence_on(facts, device, one, by);
    if (evidence) report.verification_rules = count_member(evidence->verified, "rules");
    if (evidence && text_member(evidence->measured, "status") == "measured") {
      measured = evidence->measured;
    } else if (evidence && measured.is_null()) {
      measured = {{"device", member(evidence->verified, "device")}};
    }
  }
  const Json& described = member(measured, "device");
  report.device_kind = text_member(described, "kind");
  report.device_name = text_member(described, "name");
  report.architecture = text_member(described, "architecture");
  report.driver = text_member(described, "driver");
  report.multiprocessors = count_member(described, "multiprocessors");
  report.highest_clock_hz = number_member(described, "highest_clock_hz");
  report.datasheet_bandwidth = number_member(described, "datasheet_bandwidth");
  report.clocks = text_member(measured, "clocks");
  report.measurement_rules = count_member(measured, "rules");
  report.roofs = report_roofs(member(measured, "ceilings"));
}

// As the build timed them or, where it timed nothing, as the evidence has them.
Json timed_baselines(const OpConfig& config, const ReportFacts& facts, const std::string& device,
                     bool built) {
  if (built) {
    return config.baselines.empty() ? Json()
                                    : read_json_if_there(config.build_dir / "baselines.json");
  }
  const auto found = facts.committed.find(device);
  return found == facts.committed.end() ? Json() : found->second.json;
}

void add_baselines(const OpConfig& config, const Json& timed, Report& report) {
  for (const Json& json : list_member(timed, "baselines")) {
    ReportBaseline one;
    one.name = text_member(json, "name");
    if (text_member(json, "status") == "measured") {
      one.time_us = time_member(member(json, "summary"), "time_us");
      one.sol = number_member(member(json, "summary"), "sol");
      one.workloads = report_workloads(json);
    } else {
      one.failure = text_member(json, "reason");
    }
    report.baselines.push_back(std::move(one));
  }
  if (!report.baselines.empty()) return;
  report.no_baselines = config.baselines.empty() ? "none is registered (BASELINES)"
                                                 : "their times on this device are not here";
}

void add_ratios(Report& report) {
  std::optional<double> first;
  const ReportBaseline* baseline = report.best_baseline();
  const auto timed =
      std::count_if(report.versions.begin(), report.versions.end(),
                    [](const ReportVersion& one) { return one.time_us.has_value(); });
  for (ReportVersion& one : report.versions) {
    if (!one.time_us) continue;
    if (!first) first = one.time_us;
    if (timed > 1) one.speed_up = *first / *one.time_us;
    if (baseline != nullptr) one.against_baseline = *baseline->time_us / *one.time_us;
  }
  const ReportVersion* shown = report.shown();
  for (ReportBaseline& one : report.baselines) {
    if (shown != nullptr && one.time_us) one.ratio = *one.time_us / *shown->time_us;
  }
}

// An adopted version is only this device's where its evidence is.
void add_adoption(const OpConfig& config, const ReportFacts& facts, const std::string& device,
                  Report& report) {
  const auto found = facts.committed.find(device);
  if (found == facts.committed.end()) return;
  report.evidence_sha256 = found->second.sha256;
  const std::string version = text_member(found->second.json, "version");
  const auto adopted = read_adopted(config.adopted_file());
  if (!adopted) return;
  for (const auto& [architecture, entry] : adopted->architectures) {
    if (entry.version == version && device_slug(entry.device_kind, entry.device_name) == device) {
      report.adopted = version;
      report.comparison = report_comparison(member(found->second.json, "comparison"));
    }
  }
}

}  // namespace

bool is_report_file(const fs::path& file) {
  return file.filename().string().ends_with(".report.json");
}

GatheredReports gather_reports(const OpConfig& config) {
  GatheredReports gathered;
  const ReportFacts facts = collect_facts(config, gathered.inputs);
  const Steering steering = load_steering(config);
  std::vector<std::string> devices;
  for (const auto& [device, evidence] : facts.committed) devices.push_back(device);
  if (facts.build_device && !facts.committed.contains(facts.build_device->first)) {
    devices.push_back(facts.build_device->first);
  }
  for (const std::string& device : devices) {
    Report report;
    report.op = config.op;
    report.description = text_member(read_json_if_there(config.spec), "description");
    for (const KnownVersion& one : facts.versions) {
      report.versions.push_back(version_on(config, facts, device, one, steering));
    }
    const bool built = report.from_build();
    add_device(facts, device, report);
    add_adoption(config, facts, device, report);
    add_baselines(config, timed_baselines(config, facts, device, built), report);
    add_ratios(report);
    if (built) {
      if (const auto history = find_latest_history(config)) {
        report.state = stop_reason(*history, config.rounds());
      }
    }
    report.cost = spending_of(config, report.versions);
    gathered.by_device.emplace(device, std::move(report));
  }
  return gathered;
}

}  // namespace kernelloop
