#include "product/adopted.hpp"

#include "support/error.hpp"
#include "support/version.hpp"

#include <fmt/format.h>

#include <cctype>

namespace kernelloop {
namespace {

std::string required_text(const JsonDocument& document, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  if (!document.value.contains(place) || !document.value.at(place).is_string() ||
      document.value.at(place).get<std::string>().empty()) {
    fail(ExitCode::bad_input,
         "{}: {} is missing or no text; run adopt again, or restore the file from git",
         document.where(pointer), pointer);
  }
  return document.value.at(place).get<std::string>();
}

double required_number(const JsonDocument& document, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  if (!document.value.contains(place) || !document.value.at(place).is_number()) {
    fail(ExitCode::bad_input,
         "{}: {} is missing or no number; run adopt again, or restore the file from git",
         document.where(pointer), pointer);
  }
  return document.value.at(place).get<double>();
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char character : text) {
    result += character == '~' ? "~0" : character == '/' ? "~1" : std::string(1, character);
  }
  return result;
}

AdoptedVersion entry_at(const JsonDocument& document, const std::string& base) {
  AdoptedVersion entry;
  entry.version = required_text(document, base + "/version");
  if (version_number(entry.version) == 0) {
    fail(ExitCode::bad_input, "{}: '{}' is no version name (v001, v002, ...)",
         document.where(base + "/version"), entry.version);
  }
  entry.source_sha256 = required_text(document, base + "/source_sha256");
  entry.device_kind = required_text(document, base + "/device/kind");
  entry.device_name = required_text(document, base + "/device/name");
  entry.evidence = required_text(document, base + "/evidence");
  entry.evidence_sha256 = required_text(document, base + "/evidence_sha256");
  entry.time_us = required_number(document, base + "/time_us");
  entry.rules = static_cast<int>(required_number(document, base + "/rules"));
  if (const Json::json_pointer sol(base + "/sol");
      document.value.contains(sol) && document.value.at(sol).is_number()) {
    entry.sol = document.value.at(sol).get<double>();
  }
  return entry;
}

}  // namespace

const AdoptedVersion* Adopted::on_gpu() const {
  for (const auto& [architecture, entry] : architectures) {
    if (entry.device_kind != "cpu") {
      return &entry;
    }
  }
  return nullptr;
}

std::optional<Adopted> read_adopted(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    return std::nullopt;
  }
  const JsonDocument document = read_json(path);
  Adopted adopted;
  if (!document.value.is_object()) {
    fail(ExitCode::bad_input, "{}: not a JSON object; restore the file from git",
         document.where(""));
  }
  adopted.op = required_text(document, "/op");
  if (!document.value.contains("architectures") ||
      !document.value.at("architectures").is_object() ||
      document.value.at("architectures").empty()) {
    fail(ExitCode::bad_input, "{}: /architectures is missing or empty; run adopt again",
         document.where("/architectures"));
  }
  for (const auto& [architecture, entry] : document.value.at("architectures").items()) {
    adopted.architectures[architecture] =
        entry_at(document, "/architectures/" + escaped(architecture));
  }
  return adopted;
}

Json to_json(const Adopted& adopted) {
  Json architectures = Json::object();
  for (const auto& [architecture, entry] : adopted.architectures) {
    architectures[architecture] = {
        {"version", entry.version},
        {"source_sha256", entry.source_sha256},
        {"device", {{"kind", entry.device_kind}, {"name", entry.device_name}}},
        {"evidence", entry.evidence},
        {"evidence_sha256", entry.evidence_sha256},
        {"time_us", entry.time_us},
        {"sol", entry.sol ? Json(*entry.sol) : Json(nullptr)},
        {"rules", entry.rules}};
  }
  return {{"schema_version", 1}, {"op", adopted.op}, {"architectures", architectures}};
}

std::filesystem::path evidence_path(const OpConfig& config, const std::string& evidence) {
  return config.reports_dir.parent_path() / evidence;
}

std::string evidence_name(const OpConfig& config, const std::string& device_kind,
                          const std::string& device_name) {
  return fmt::format("{}/{}/{}.json", config.reports_dir.filename().string(), config.op,
                     device_slug(device_kind, device_name));
}

std::string device_slug(const std::string& device_kind, const std::string& device_name) {
  if (device_kind == "cpu") {
    return "cpu";
  }
  std::string slug;
  for (const char character : device_name) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) != 0) {
      slug += static_cast<char>(std::tolower(byte));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') {
    slug.pop_back();
  }
  return slug.empty() ? "device" : slug;
}

}  // namespace kernelloop
