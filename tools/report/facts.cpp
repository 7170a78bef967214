#include "report/facts.hpp"

#include "product/adopted.hpp"
#include "report/gather.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/json_members.hpp"
#include "support/version.hpp"

#include "cost/ledger.hpp"
#include "languages/version_source.hpp"

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

std::string slug_of(const Json& device) {
  return device_slug(text_member(device, "kind"), text_member(device, "name"));
}

// What tells that `path` appears: itself, or the directory nearest to it that is there.
fs::path watched(fs::path path) {
  while (!fs::exists(path) && path.has_parent_path()) path = path.parent_path();
  return path;
}

}  // namespace

ReportFacts collect_facts(const OpConfig& config, std::vector<fs::path>& inputs) {
  ReportFacts facts;
  inputs = {config.path, watched(config.generated_dir / config.op)};
  for (const fs::path& file : {config.spec, Ledger(config.generated_dir).path()}) {
    if (fs::exists(file)) inputs.push_back(file);
  }
  for (int number = 1; fs::exists(version_source(config.version_dir(number))); ++number) {
    const fs::path directory = config.version_dir(number);
    KnownVersion one;
    one.number = number;
    const fs::path source = version_source(directory);
    one.source = read_file(source);
    one.origin = read_json_if_there(directory / "origin.json");
    inputs.push_back(directory);
    inputs.push_back(source);
    const fs::path steps = config.step_dir(number);
    if (fs::exists(steps)) inputs.push_back(steps);
    if (fs::exists(steps / "proposed.json") && fs::exists(steps / "compile.json")) {
      one.built = load_evidence(config, number);
      if (const auto device = device_of(*one.built); device && !facts.build_device) {
        facts.build_device = {device_slug(device->kind, device->name), *device};
      }
    }
    facts.versions.push_back(std::move(one));
  }
  const fs::path reports = config.reports_dir / config.op;
  if (fs::exists(reports)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(reports)) {
      if (entry.path().extension() != ".json" || is_report_file(entry.path())) continue;
      inputs.push_back(entry.path());
      const Json json = read_json(entry.path()).value;
      if (text_member(json, "status") != "verified") continue;
      facts.committed[slug_of(member(json, "device"))] = {json, sha256_of_file(entry.path())};
    }
  }
  return facts;
}

std::optional<VersionEvidence> evidence_on(const ReportFacts& facts, const std::string& device,
                                           const KnownVersion& one, std::string& measured_by) {
  if (one.built && facts.build_device && facts.build_device->first == device) {
    measured_by = "build";
    return one.built;
  }
  const auto found = facts.committed.find(device);
  if (found == facts.committed.end()) return std::nullopt;
  const Json& json = found->second.json;
  if (text_member(json, "version") != version_name(one.number)) return std::nullopt;
  measured_by = "evidence";
  VersionEvidence evidence;
  evidence.version = one.number;
  evidence.proposed = {{"status", "ready"}};
  evidence.compiled = {{"status", "compiled"},
                       {"source_sha256", text_member(json, "source_sha256")},
                       {"kernels", list_member(member(json, "compile"), "kernels")}};
  evidence.verified = member(json, "verify");
  evidence.measured = member(json, "bench");
  evidence.origin = one.origin;
  return evidence;
}

}  // namespace kernelloop
