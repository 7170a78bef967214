#include "report/progress.hpp"

#include "report/table.hpp"
#include "support/error.hpp"
#include "support/json_members.hpp"
#include "support/version.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

std::string with_reason(const std::string& text, const std::string& reason) {
  return reason.empty() ? text : text + ": " + reason;
}

std::string proposed_line(const OpConfig& config, int version, const Json& proposed) {
  if (text_member(proposed, "status") == "stopped") {
    return with_reason("no proposal", text_member(proposed, "reason"));
  }
  const Json origin = read_json_if_there(config.version_dir(version) / "origin.json");
  if (origin.is_null()) return "proposed, by hand";
  const std::string parent = text_member(origin, "parent");
  return with_reason(
      fmt::format("proposed: {}{} by {}", text_member(origin, "mode"),
                  parent.empty() ? "" : " of " + parent, text_member(origin, "provider")),
      text_member(origin, "summary"));
}

std::string measured_line(const Json& measured) {
  const std::string status = text_member(measured, "status");
  if (status != "measured") return with_reason("timing " + status, text_member(measured, "reason"));
  const Json& summary = member(measured, "summary");
  std::string text = duration_text(number_member(summary, "time_us").value_or(0.0));
  if (text_member(member(measured, "device"), "kind") == "cpu") return text + " wall, CPU device";
  if (const auto sol = number_member(summary, "sol"))
    text += fmt::format(", {:.0f} % SOL", 100 * *sol);
  return text;
}

// What a step's file says, after the version's name; "" for nothing worth a line.
std::string line_of(const OpConfig& config, int version, const std::string& step,
                    const Json& json) {
  const std::string status = text_member(json, "status");
  if (step == "proposed") return proposed_line(config, version, json);
  if (step == "compile") {
    if (status == "stopped") return {};
    if (status == "duplicate") return text_member(json, "reason");
    return status == "compiled" ? "compiled"
                                : with_reason("does not compile", text_member(json, "reason"));
  }
  if (step == "verify") {
    if (status == "skipped") return {};
    return with_reason("verified: " + status,
                       status == "passed" ? "" : text_member(json, "reason"));
  }
  if (step == "bench") return status == "skipped" ? std::string() : measured_line(json);
  const Json& decision = member(json, "decision");
  return with_reason("next: " + text_member(decision, "action"), text_member(decision, "reason"));
}

}  // namespace

std::vector<std::string> Progress::news() {
  constexpr std::array<const char*, 5> k_steps{"proposed", "compile", "verify", "bench", "history"};
  std::vector<std::string> lines;
  for (int version = 1; version <= config_.versions; ++version) {
    for (const char* step : k_steps) {
      const fs::path file = config_.step_dir(version) / (std::string(step) + ".json");
      std::string line;
      try {
        const Json json = read_json_if_there(file);
        if (json.is_null()) continue;
        line = line_of(config_, version, step, json);
      } catch (const Error&) {
        continue;
      }
      std::string& told = told_[file.string()];
      if (line == told) continue;
      told = line;
      if (!line.empty()) lines.push_back(version_name(version) + " " + line);
    }
  }
  return lines;
}

}  // namespace kernelloop
