#include "propose/prompt_sections.hpp"

#include "loop/policy.hpp"
#include "propose/manual_provider.hpp"
#include "support/files.hpp"
#include "support/rounded.hpp"
#include "support/text.hpp"
#include "support/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "languages/version_source.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_most_failure = 120;  // characters of a failure in a table

std::string result_of(const VersionRecord& record, const History& history) {
  if (record.outcome != Outcome::verified || !record.time_us) {
    return std::string(name_of(record.outcome)) +
           (record.failure.empty() ? "" : ": " + record.failure.substr(0, k_most_failure));
  }
  std::string text =
      "right, " + rounded(*record.time_us, PolicySettings{}.gain_on(history.device_kind)) + " us";
  if (history.device_kind == "cpu") text += " wall time on the CPU emulation";
  if (record.sol) text += fmt::format(", {} % of the roofline", rounded_percent(*record.sol));
  return text;
}

// A cell of a table: one line, no bars.
std::string cell(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '|') c = ' ';
  }
  return text;
}

struct SourceShown {
  std::string text;  // empty: there is none
  const Language* language = nullptr;
};

SourceShown source_of(const OpConfig& config, const std::string& version) {
  const int number = version_number(version);
  const auto found = number == 0 ? std::nullopt : find_version_source(config.version_dir(number));
  return found ? SourceShown{read_file(found->path), found->language} : SourceShown{};
}

}  // namespace

std::string language_section(const Language& language, const Templates& templates) {
  const std::string name = "language_" + lower_case(language.name);
  if (templates.has(name)) return templates.fill(name);
  return language.guide + templates.fill("compiled_plan");
}

std::string device_section(const OpConfig& config, const Language& language,
                           const Templates& templates) {
  const std::string architectures = fmt::format("sm_{}", fmt::join(config.architectures, ", sm_"));
  const std::map<std::string, std::string> values{{"architectures", architectures}};
  if (config.device == "cpu") {
    const char* const name = language.is_cuda() ? "device_cpu" : "device_cpu_compiled";
    return "\n" + templates.fill(name, values);
  }
  const std::string own =
      "device_" + (config.architectures.empty() ? std::string() : config.architectures.front());
  return "\n" + templates.fill(templates.has(own) ? own : "device_generic", values);
}

std::string version_section(const char* title, const OpConfig& config, const History& history,
                            const std::string& version) {
  const SourceShown source = source_of(config, version);
  const VersionRecord* record = history.find(version);
  if (source.text.empty()) return {};
  return fmt::format("\n# {}: {}{}\n\n{}", title, version,
                     record == nullptr ? "" : " (" + result_of(*record, history) + ")",
                     fenced(source.text, *source.language));
}

std::string tried_section(const History& history, std::size_t most) {
  if (history.versions.empty()) return {};
  std::string text =
      "\n# What was tried\n\n| version | mode | from | change (in its author's words) | result |\n"
      "|---|---|---|---|---|\n";
  const std::size_t count = history.versions.size();
  for (std::size_t i = count - std::min(count, most); i < count; ++i) {
    const VersionRecord& record = history.versions[i];
    text += fmt::format("| {} | {} | {} | {} | {} |\n", record.version, record.mode, record.parent,
                        cell(record.change), cell(result_of(record, history)));
  }
  return text;
}

std::string lane_text(const OpConfig& config, int version) {
  if (config.candidates < 2) return {};
  const int lane = version - config.first_of_round(config.round_of(version)) + 1;
  return fmt::format(
      "{} versions are written in this round, independently; yours is number {}. Choose idea "
      "number {} of those you would try, not the first that comes to mind.",
      config.candidates, lane, lane);
}

std::string evidence_text(const Bottleneck& bottleneck) {
  std::string text;
  for (const std::string& fact : bottleneck.evidence) text += "- " + fact + "\n";
  return text;
}

}  // namespace kernelloop
