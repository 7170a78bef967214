#include "product/candidate.hpp"

#include "device/architecture.hpp"
#include "loop/steering.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/json_members.hpp"
#include "support/version.hpp"
#include "verify/rules.hpp"

#include <fmt/format.h>

#include "languages/version_source.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

// The architecture of the cubin that was measured: the one that the device chose.
std::string measured_architecture(const StepFiles& files) {
  const Json& cuda = member(member(files.compiled, "artifacts"), "cuda");
  std::vector<std::string> built;
  for (const auto& [name, path] : member(cuda, "cubins").items()) built.push_back(name);
  const std::string chosen =
      architecture_for(text_member(member(files.measured, "device"), "architecture"), built);
  return chosen.empty() ? text_member(cuda, "architecture") : chosen;
}

StepFiles read_steps(const OpConfig& config, int number) {
  return {read_json_if_there(config.step_dir(number) / "compile.json"),
          read_json_if_there(config.results_dir(number) / "verify.json"),
          read_json_if_there(config.results_dir(number) / "bench.json")};
}

std::string why_not_verified(const StepFiles& files) {
  if (const std::string status = text_member(files.compiled, "status"); status != "compiled") {
    return "did not compile";
  }
  if (!files.verified.is_object()) {
    return "is not verified yet";
  }
  const std::string status = text_member(files.verified, "status");
  if (status != "passed") {
    const std::string summary = text_member(files.verified, "summary");
    const std::string reason = summary.empty() ? text_member(files.verified, "reason") : summary;
    return fmt::format("is not verified ({}{}{})", status, reason.empty() ? "" : ": ", reason);
  }
  if (files.verified.value("rules", 0) != k_verification_rules) {
    return "was verified by other rules than today's";
  }
  return {};
}

std::string why_not_measured(const OpConfig& config, const StepFiles& files) {
  if (!files.measured.is_object()) {
    return "is not timed yet";
  }
  const Json& bench = files.measured;
  if (const std::string status = text_member(bench, "status"); status != "measured") {
    return fmt::format("is not timed ({}: {})", status, text_member(bench, "reason"));
  }
  if (!time_member(member(bench, "summary"), "time_us")) {
    return "is not timed: its bench.json names no time";
  }
  if (text_member(member(bench, "device"), "kind") != config.device) {
    return fmt::format("was timed on another device than {}", config.device);
  }
  if (text_member(member(bench, "device"), "kind") !=
          text_member(member(files.verified, "device"), "kind") ||
      text_member(member(bench, "device"), "name") !=
          text_member(member(files.verified, "device"), "name")) {
    return "was verified and timed on different devices";
  }
  return {};
}

}  // namespace

Examined examine(const OpConfig& config, int number) {
  Examined result;
  result.version = version_name(number);
  StepFiles files = read_steps(config, number);
  const std::filesystem::path source = version_source(config.version_dir(number));
  const std::string sha = std::filesystem::exists(source) ? sha256_of_file(source) : std::string();
  if (sha.empty() || !files.compiled.is_object()) {
    result.reason = sha.empty() ? "has no kernel.cu" : "is not compiled yet";
    return result;
  }
  result.built = text_member(files.compiled, "source_sha256") == sha;
  const std::string verified_sha = text_member(files.verified, "source_sha256");
  if (!result.built || (files.verified.is_object() && verified_sha != sha)) {
    result.reason = "was edited after it was verified";
    return result;
  }
  result.reason = why_not_verified(files);
  const std::string verdict = text_member(files.verified, "status");
  result.disproved = text_member(files.compiled, "status") == "failed" || verdict == "failed" ||
                     verdict == "not_runnable";
  if (const Steering steering = load_steering(config); steering.rejected.contains(result.version)) {
    result.disproved = true;
    result.reason = "was rejected by the engineer: " + steering.rejected.at(result.version);
  }
  if (result.reason.empty()) {
    result.reason = why_not_measured(config, files);
  }
  if (!result.reason.empty()) {
    return result;
  }
  Candidate candidate;
  candidate.number = number;
  candidate.version = result.version;
  candidate.source_sha256 = sha;
  candidate.device_kind = text_member(member(files.measured, "device"), "kind");
  candidate.device_name = text_member(member(files.measured, "device"), "name");
  if (config.device != "cpu") {
    candidate.architecture = measured_architecture(files);
  }
  const Json& summary = member(files.measured, "summary");
  candidate.time_us = time_member(summary, "time_us").value();
  candidate.sol = number_member(summary, "sol");
  candidate.files = std::move(files);
  result.candidate = std::move(candidate);
  return result;
}

std::vector<Examined> examine_all(const OpConfig& config) {
  std::vector<int> numbers;
  const std::filesystem::path directory = config.generated_dir / config.op;
  std::error_code ignored;  // no directory: no versions
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (const int number = version_number(entry.path().filename().string()); number > 0) {
      numbers.push_back(number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<Examined> versions;
  for (const int number : numbers) {
    versions.push_back(examine(config, number));
  }
  return versions;
}

const Candidate* fastest(const OpConfig& config, const std::vector<Examined>& versions) {
  const Candidate* best = nullptr;
  for (const Examined& one : versions) {
    if (!one.candidate) {
      continue;
    }
    if (best != nullptr && best->device_name != one.candidate->device_name) {
      fail(ExitCode::check_failed,
           "{}: {} was timed on {}, {} on {}: run bench_{} on one device, then adopt_{}", config.op,
           best->version, best->device_name, one.version, one.candidate->device_name, config.op,
           config.op);
    }
    if (best == nullptr || one.candidate->time_us < best->time_us) {
      best = &*one.candidate;
    }
  }
  return best;
}

}  // namespace kernelloop
