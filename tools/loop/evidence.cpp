#include "loop/evidence.hpp"

#include "loop/bottleneck.hpp"
#include "support/error.hpp"
#include "support/json_members.hpp"
#include "support/version.hpp"

namespace kernelloop {
namespace {

std::string first_problem(const Json& compiled) {
  for (const Json& problem : list_member(compiled, "problems")) {
    if (text_member(problem, "severity") == "warning") continue;
    const std::int64_t line = count_member(problem, "line").value_or(0);
    return (line > 0 ? fmt::format("line {}: ", line) : std::string()) +
           text_member(problem, "message");
  }
  return text_member(compiled, "reason");
}

void judge(const VersionEvidence& evidence, VersionRecord& record) {
  const std::string compiled = text_member(evidence.compiled, "status");
  const std::string verified = text_member(evidence.verified, "status");
  const std::string measured = text_member(evidence.measured, "status");
  const auto why = [](const Json& json) {
    const std::string reason = text_member(json, "reason");
    return reason.empty() ? text_member(json, "summary") : reason;
  };
  if (compiled == "duplicate") {
    record.outcome = Outcome::duplicate;
    record.failure = text_member(evidence.compiled, "reason");
  } else if (compiled != "compiled") {
    record.outcome = Outcome::compile_failed;
    record.failure = first_problem(evidence.compiled);
  } else if (verified == "not_runnable") {
    record.outcome = Outcome::not_runnable;
    record.failure = why(evidence.verified);
  } else if (verified != "passed") {
    record.outcome = Outcome::wrong;
    record.failure = why(evidence.verified);
  } else if (measured != "measured") {
    record.outcome = Outcome::bench_failed;
    record.failure = text_member(evidence.measured, "reason");
  } else {
    record.outcome = Outcome::verified;
    const Json& summary = member(evidence.measured, "summary");
    record.time_us = time_member(summary, "time_us");
    record.sol = number_member(summary, "sol");
    record.bottleneck = bottleneck_of(evidence);
  }
}

}  // namespace

bool VersionEvidence::stopped() const { return text_member(proposed, "status") == "stopped"; }

VersionEvidence load_evidence(const OpConfig& config, int version) {
  const std::filesystem::path steps = config.step_dir(version);
  VersionEvidence evidence;
  evidence.version = version;
  evidence.proposed = read_json(steps / "proposed.json").value;
  evidence.compiled = read_json_if_there(steps / "compile.json");
  evidence.verified = read_json_if_there(steps / "verify.json");
  evidence.measured = read_json_if_there(steps / "bench.json");
  if (config.device == "cuda") evidence.profiled = read_json_if_there(steps / "profile.json");
  evidence.origin = read_json_if_there(config.version_dir(version) / "origin.json");
  return evidence;
}

VersionRecord record_of(const VersionEvidence& evidence, int round) {
  VersionRecord record;
  record.version = version_name(evidence.version);
  record.round = round;
  const Json& origin = evidence.origin;
  record.mode = text_member(origin, "mode");
  record.parent = text_member(origin, "parent");
  record.change = text_member(origin, "summary");
  record.provider = origin.is_null() ? "by hand" : text_member(origin, "provider");
  record.model = text_member(origin, "model");
  record.input_tokens = count_member(member(origin, "tokens"), "input").value_or(0);
  record.output_tokens = count_member(member(origin, "tokens"), "output").value_or(0);
  record.requests = count_member(origin, "requests").value_or(0);
  record.cost_usd = number_member(origin, "cost_usd");
  record.configurations = count_member(evidence.compiled, "configurations").value_or(1);
  judge(evidence, record);
  return record;
}

std::optional<DeviceName> device_of(const VersionEvidence& evidence) {
  const Json& device = member(evidence.verified, "device");
  if (text_member(device, "kind").empty()) return std::nullopt;
  return DeviceName{text_member(device, "kind"), text_member(device, "name")};
}

std::vector<BaselineRecord> load_baselines(const OpConfig& config) {
  std::vector<BaselineRecord> records;
  const std::filesystem::path path = config.build_dir / "baselines.json";
  if (config.baselines.empty() || !std::filesystem::exists(path)) return records;
  for (const Json& one : list_member(read_json(path).value, "baselines")) {
    BaselineRecord record;
    record.name = text_member(one, "name");
    if (text_member(one, "status") == "measured") {
      record.time_us = time_member(member(one, "summary"), "time_us");
    } else {
      record.failure = text_member(one, "reason");
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace kernelloop
