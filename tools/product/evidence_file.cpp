#include "product/evidence_file.hpp"

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
          {"compile", resources(config, candidate.files.compiled)},
          {"first_comparison", published(comparisons.first)},
          {"comparison", published(comparisons.confirming)}};
}

}  // namespace kernelloop
