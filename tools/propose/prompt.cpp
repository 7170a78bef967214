#include "propose/prompt.hpp"

#include "propose/manual_provider.hpp"
#include "propose/steering_text.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_most_problems = 6;
constexpr std::size_t k_most_tried = 30;

// Three significant digits: noise must not change a prompt.
std::string rounded(double value) {
  if (value == 0.0 || !std::isfinite(value)) return fmt::format("{}", value);
  const int digits = std::max(0, 2 - static_cast<int>(std::floor(std::log10(std::fabs(value)))));
  return digits > 6 ? fmt::format("{:.2e}", value) : fmt::format("{:.{}f}", value, digits);
}

std::string result_of(const VersionRecord& record, const History& history) {
  if (record.outcome != Outcome::verified || !record.time_us) {
    return std::string(name_of(record.outcome)) +
           (record.failure.empty() ? "" : ": " + record.failure.substr(0, 120));
  }
  std::string text = "right, " + rounded(*record.time_us) + " us";
  if (history.device_kind == "cpu") text += " wall time on the CPU emulation";
  if (record.sol) text += fmt::format(", {:.0f} % of the roofline", 100 * *record.sol);
  return text;
}

// A cell of a table: one line, no bars.
std::string cell(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '|') c = ' ';
  }
  return text;
}

std::string tried_section(const History& history) {
  if (history.versions.empty()) return {};
  std::string text =
      "\n# What was tried\n\n| version | mode | from | change (in its author's words) | result |\n"
      "|---|---|---|---|---|\n";
  const std::size_t count = history.versions.size();
  for (std::size_t i = count - std::min(count, k_most_tried); i < count; ++i) {
    const VersionRecord& record = history.versions[i];
    text += fmt::format("| {} | {} | {} | {} | {} |\n", record.version, record.mode, record.parent,
                        cell(record.change), cell(result_of(record, history)));
  }
  return text;
}

std::string source_of(const OpConfig& config, const std::string& version) {
  const int number = version_number(version);
  if (number == 0) return {};
  const fs::path path = config.version_dir(number) / "kernel.cu";
  return fs::exists(path) ? read_file(path) : std::string();
}

std::string version_section(const char* title, const OpConfig& config, const History& history,
                            const std::string& version) {
  const std::string source = source_of(config, version);
  const VersionRecord* record = history.find(version);
  if (source.empty()) return {};
  return fmt::format("\n# {}: {}{}\n\n{}", title, version,
                     record == nullptr ? "" : " (" + result_of(*record, history) + ")",
                     fenced(source));
}

std::string device_section(const OpConfig& config, const Templates& templates) {
  const std::string architectures = fmt::format("sm_{}", fmt::join(config.architectures, ", sm_"));
  const std::map<std::string, std::string> values{{"architectures", architectures}};
  if (config.device == "cpu") return "\n" + templates.fill("device_cpu", values);
  const std::string own =
      "device_" + (config.architectures.empty() ? std::string() : config.architectures.front());
  return "\n" + templates.fill(templates.has(own) ? own : "device_generic", values);
}

std::string lane_text(const OpConfig& config, int version) {
  if (config.candidates < 2) return {};
  const int lane = version - config.first_of_round(config.round_of(version)) + 1;
  return fmt::format(
      "{} versions are written in this round, independently; yours is number {}. Choose idea "
      "number {} of those you would try, not the first that comes to mind.",
      config.candidates, lane, lane);
}

std::string read_reference(const OpConfig& config) {
  return config.reference_source.empty() ? std::string("(not given)\n")
                                         : read_file(config.reference_source);
}

}  // namespace

Prompt compose_prompt(const OpConfig& config, const OpSpec& spec, int version,
                      const std::optional<History>& history, const std::string& feedback,
                      const Templates& templates) {
  Prompt prompt;
  prompt.mode = history ? name_of(history->decision.action) : "seed";
  prompt.parent = history ? history->decision.parent : "";
  prompt.system = templates.fill("system");

  std::map<std::string, std::string> values{{"op_summary", describe_op(spec, config.device)},
                                            {"reference", read_reference(config)},
                                            {"device", device_section(config, templates)},
                                            {"hints", steering_text(config, version)},
                                            {"parent", ""},
                                            {"best", ""},
                                            {"tried", ""},
                                            {"feedback", ""}};
  if (history) {
    const VersionRecord* best = history->best();
    if (!prompt.parent.empty()) {
      values["parent"] =
          version_section("The version to start from", config, *history, prompt.parent);
    }
    if (best != nullptr && best->version != prompt.parent) {
      values["best"] =
          version_section("The fastest version so far", config, *history, best->version);
    }
    values["tried"] = tried_section(*history);
  }
  if (!feedback.empty()) values["feedback"] = "\n" + feedback;
  values["ask"] = templates.fill(
      "ask_" + prompt.mode,
      {{"op", config.op}, {"parent", prompt.parent}, {"lane", lane_text(config, version)}});
  prompt.user = templates.fill("task", values);
  return prompt;
}

std::string compile_feedback(const Json& problems, const Templates& templates) {
  std::string text;
  std::size_t shown = 0;
  for (const Json& problem : problems) {
    if (problem.value("severity", "error") == "warning") continue;
    if (shown++ == k_most_problems) break;
    const int line = problem.value("line", 0);
    text += fmt::format("- {}{}\n", line > 0 ? fmt::format("line {}: ", line) : "",
                        problem.value("message", ""));
    if (const std::string source = problem.value("source_line", ""); !source.empty()) {
      text += "      " + source + "\n";
    }
  }
  return templates.fill("followup_compile", {{"problems", text}});
}

std::string duplicate_feedback(const std::string& twin, const Templates& templates) {
  return templates.fill("followup_duplicate", {{"version", twin}});
}

std::string answer_feedback(const Extraction& extraction, const Templates& templates) {
  return templates.fill("followup_answer",
                        {{"problem", name_of(extraction.problem)}, {"detail", extraction.detail}});
}

}  // namespace kernelloop
