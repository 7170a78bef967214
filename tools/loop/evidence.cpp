#include "loop/evidence.hpp"

#include "support/error.hpp"
#include "support/version.hpp"

namespace kernelloop {
namespace {

Json read_if_there(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? read_json(path).value : Json();
}

std::string text_at(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t count_at(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found != json.end() && found->is_number() ? found->get<std::int64_t>() : 0;
}

std::optional<double> number_at(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

const Json& member(const Json& json, const char* name) {
  static const Json k_null;
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found != json.end() ? *found : k_null;
}

std::string first_problem(const Json& compiled) {
  for (const Json& problem : member(compiled, "problems")) {
    if (text_at(problem, "severity") == "warning") continue;
    const std::int64_t line = count_at(problem, "line");
    return (line > 0 ? fmt::format("line {}: ", line) : std::string()) +
           text_at(problem, "message");
  }
  return text_at(compiled, "reason");
}

void judge(const VersionEvidence& evidence, VersionRecord& record) {
  const std::string compiled = text_at(evidence.compiled, "status");
  const std::string verified = text_at(evidence.verified, "status");
  const std::string measured = text_at(evidence.measured, "status");
  const auto why = [](const Json& json) {
    const std::string reason = text_at(json, "reason");
    return reason.empty() ? text_at(json, "summary") : reason;
  };
  if (compiled != "compiled") {
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
    record.failure = text_at(evidence.measured, "reason");
  } else {
    record.outcome = Outcome::verified;
    const Json& summary = member(evidence.measured, "summary");
    record.time_us = number_at(summary, "time_us");
    record.sol = number_at(summary, "sol");
  }
}

}  // namespace

bool VersionEvidence::stopped() const { return text_at(proposed, "status") == "stopped"; }

VersionEvidence load_evidence(const OpConfig& config, int version) {
  const std::filesystem::path steps = config.step_dir(version);
  VersionEvidence evidence;
  evidence.version = version;
  evidence.proposed = read_json(steps / "proposed.json").value;
  evidence.compiled = read_if_there(steps / "compile.json");
  evidence.verified = read_if_there(steps / "verify.json");
  evidence.measured = read_if_there(steps / "bench.json");
  evidence.origin = read_if_there(config.version_dir(version) / "origin.json");
  return evidence;
}

VersionRecord record_of(const VersionEvidence& evidence, int round) {
  VersionRecord record;
  record.version = version_name(evidence.version);
  record.round = round;
  const Json& origin = evidence.origin;
  record.mode = text_at(origin, "mode");
  record.parent = text_at(origin, "parent");
  record.change = text_at(origin, "summary");
  record.provider = origin.is_null() ? "by hand" : text_at(origin, "provider");
  record.model = text_at(origin, "model");
  record.input_tokens = count_at(member(origin, "tokens"), "input");
  record.output_tokens = count_at(member(origin, "tokens"), "output");
  record.requests = count_at(origin, "requests");
  record.cost_usd = number_at(origin, "cost_usd");
  judge(evidence, record);
  return record;
}

std::optional<DeviceName> device_of(const VersionEvidence& evidence) {
  const Json& device = member(evidence.verified, "device");
  if (text_at(device, "kind").empty()) return std::nullopt;
  return DeviceName{text_at(device, "kind"), text_at(device, "name")};
}

}  // namespace kernelloop
