#include "product/provenance.hpp"

#include "product/adopted.hpp"
#include "product/judged_spec.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/json_members.hpp"
#include "support/version.hpp"
#include "verify/rules.hpp"

#include <fmt/format.h>

#include "languages/version_source.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace kernelloop {
namespace {

std::string remedy(const OpConfig& config) { return fmt::format("run adopt_{} again", config.op); }

void check_source(const OpConfig& config, const AdoptedVersion& adopted,
                  std::vector<std::string>& problems) {
  const std::filesystem::path source =
      version_source(config.version_dir(version_number(adopted.version)));
  if (!std::filesystem::exists(source)) {
    problems.push_back(
        fmt::format("{}: kernel.cu of the adopted {} is missing; restore it from git", config.op,
                    adopted.version));
  } else if (sha256_of_file(source) != adopted.source_sha256) {
    problems.push_back(fmt::format("{}: kernel.cu of {} was edited after it was verified; {}",
                                   config.op, adopted.version, remedy(config)));
  }
}

void check_evidence_content(const OpConfig& config, const AdoptedVersion& adopted,
                            const Json& evidence, std::vector<std::string>& problems) {
  const auto text = [&](const char* pointer) {
    const Json::json_pointer place(pointer);
    return evidence.contains(place) && evidence.at(place).is_string()
               ? evidence.at(place).get<std::string>()
               : std::string();
  };
  if (text("/op") != config.op || text("/version") != adopted.version) {
    problems.push_back(fmt::format("{}: {} is evidence of {} {}, not of {}; {}", config.op,
                                   adopted.evidence, text("/op"), text("/version"), adopted.version,
                                   remedy(config)));
  }
  if (text("/source_sha256") != adopted.source_sha256) {
    problems.push_back(fmt::format("{}: {} is evidence of another source than the adopted {}; {}",
                                   config.op, adopted.evidence, adopted.version, remedy(config)));
  }
  if (text("/status") != "verified" || text("/verify/status") != "passed") {
    problems.push_back(fmt::format("{}: {} does not say that {} was verified; {}", config.op,
                                   adopted.evidence, adopted.version, remedy(config)));
  }
  if (const std::string changed = changed_since(config, member(evidence, "verify"));
      !changed.empty()) {
    problems.push_back(fmt::format(
        "{0}: the {1} of {2} changed after {3} was verified; run verify_{0}, then adopt_{0}",
        config.op, changed, config.spec.filename().string(), adopted.version));
  }
}

void check_evidence(const OpConfig& config, const AdoptedVersion& adopted,
                    std::vector<std::string>& problems) {
  const std::filesystem::path path = evidence_path(config, adopted.evidence);
  if (!std::filesystem::exists(path)) {
    problems.push_back(
        fmt::format("{}: the evidence of {}, {}, is missing; restore it from git, or "
                    "{}",
                    config.op, adopted.version, adopted.evidence, remedy(config)));
    return;
  }
  if (sha256_of_file(path) != adopted.evidence_sha256) {
    problems.push_back(
        fmt::format("{}: {} was changed after {} was adopted; restore it from git, or {}",
                    config.op, adopted.evidence, adopted.version, remedy(config)));
    return;
  }
  try {
    check_evidence_content(config, adopted, read_json(path).value, problems);
  } catch (const Error& error) {
    problems.push_back(fmt::format("{}: {}; {}", config.op, error.what(), remedy(config)));
  }
}

std::vector<std::string> check_entry(const OpConfig& config, const AdoptedVersion& adopted) {
  std::vector<std::string> problems;
  check_source(config, adopted, problems);
  check_evidence(config, adopted, problems);
  if (adopted.rules != k_verification_rules) {
    problems.push_back(fmt::format(
        "{0}: {1} was verified by rules {2}, and rules {3} are in force; run verify_{0}, then "
        "adopt_{0}",
        config.op, adopted.version, adopted.rules, k_verification_rules));
  }
  return problems;
}

// Evidence of any device; empty when there is none. Reports lie in the same directory.
std::filesystem::path first_evidence(const OpConfig& config) {
  std::vector<std::filesystem::path> found;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::directory_iterator(config.reports_dir / config.op, none)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && !name.ends_with(".report.json")) found.push_back(entry.path());
  }
  return found.empty() ? std::filesystem::path() : *std::min_element(found.begin(), found.end());
}

}  // namespace

bool was_adopted(const OpConfig& config) {
  return std::filesystem::exists(config.adopted_file()) || !first_evidence(config).empty();
}

std::vector<std::string> provenance_problems(const OpConfig& config) {
  std::optional<Adopted> adopted;
  try {
    adopted = read_adopted(config.adopted_file());
  } catch (const Error& error) {
    return {error.what()};
  }
  if (!adopted) {
    const std::filesystem::path evidence = first_evidence(config);
    if (evidence.empty()) return {};
    return {
        fmt::format("{}: {} is missing, though {} is evidence of an adopted version; restore it "
                    "from git, or {}",
                    config.op, config.adopted_file().string(), evidence.string(), remedy(config))};
  }
  if (adopted->op != config.op) {
    return {fmt::format("{}: {} is about {}; restore it from git", config.op,
                        config.adopted_file().string(), adopted->op)};
  }
  std::vector<std::string> problems;
  for (const auto& [architecture, entry] : adopted->architectures) {
    for (std::string& problem : check_entry(config, entry)) {
      // Several architectures may ship the same version.
      if (std::find(problems.begin(), problems.end(), problem) == problems.end()) {
        problems.push_back(std::move(problem));
      }
    }
  }
  return problems;
}

}  // namespace kernelloop
