#include "product/evidence_file.hpp"

#include "support/files.hpp"
#include "support/json_members.hpp"

#include <filesystem>
#include <string>

namespace kernelloop {
namespace {

bool is_private_member(const std::string& name) { return name == "uuid"; }

Json published(const Json& value) {
  if (value.is_object()) {
    Json result = Json::object();
    for (const auto& [name, member] : value.items()) {
      if (!is_private_member(name)) {
        result[name] = published(member);
      }
    }
    return result;
  }
  if (value.is_array()) {
    Json result = Json::array();
    for (const Json& element : value) {
      result.push_back(published(element));
    }
    return result;
  }
  if (value.is_string() && value.get_ref<const std::string&>().starts_with('/')) {
    return std::filesystem::path(value.get<std::string>()).filename().string();
  }
  return value;
}

Json resources(const OpConfig& config, const Json& compiled) {
  return {{"kernels", compiled.value("kernels", Json::array())},
          {"options", config.compile_options},
          {"toolchain", published(compiled.value("toolchain", Json::object()))}};
}

bool measured_alike(const Json& a, const Json& b) {
  const auto device = [](const Json& json, const char* name) {
    return text_member(member(json, "device"), name);
  };
  return device(a, "kind") == device(b, "kind") && device(a, "name") == device(b, "name") &&
         member(a, "rules") == member(b, "rules");
}

// The baselines as this build timed them, each with its time over the version's.
Json baselines_beside(const OpConfig& config, const Json& bench) {
  const Json timed =
      config.baselines.empty() ? Json() : read_json_if_there(config.build_dir / "baselines.json");
  if (!timed.is_object() || !measured_alike(timed, bench)) return nullptr;
  const auto own = time_member(member(bench, "summary"), "time_us");
  Json baselines = Json::array();
  for (Json one : list_member(timed, "baselines")) {
    const auto time = time_member(member(one, "summary"), "time_us");
    const bool known = text_member(one, "status") == "measured" && time && own;
    one["ratio"] = known ? Json(*time / *own) : Json(nullptr);
    baselines.push_back(published(one));
  }
  return baselines;
}

}  // namespace

Json evidence_json(const OpConfig& config, const Candidate& candidate,
                   const Comparisons& comparisons) {
  const Json& bench = candidate.files.measured;
  const Json& verify = candidate.files.verified;
  return {{"schema_version", 1},
          {"op", config.op},
          {"version", candidate.version},
          {"status", "verified"},
          {"source_sha256", candidate.source_sha256},
          {"rules",
           {{"verification", verify.value("rules", 0)}, {"measurement", bench.value("rules", 0)}}},
          {"device", published(bench.value("device", Json::object()))},
          {"clocks", bench.value("clocks", "unknown")},
          {"verify", published(verify)},
          {"bench", published(bench)},
          {"baselines", baselines_beside(config, bench)},
          {"compile", resources(config, candidate.files.compiled)},
          {"first_comparison", published(comparisons.first)},
          {"comparison", published(comparisons.confirming)}};
}

}  // namespace kernelloop
