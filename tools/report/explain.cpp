#include "report/explain.hpp"

#include "loop/evidence.hpp"
#include "loop/feedback.hpp"
#include "loop/steering.hpp"
#include "report/latest.hpp"
#include "report/table.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"
#include "support/version.hpp"

#include <fmt/format.h>

#include "languages/version_source.hpp"

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

std::string versions_text(const History& history, int round) {
  std::string text;
  for (const VersionRecord& record : history.versions) {
    if (record.round != round) continue;
    text += fmt::format(
        "{}{} {}", text.empty() ? "" : ", ", record.version,
        record.time_us ? duration_text(*record.time_us) : std::string(name_of(record.outcome)));
  }
  return text.empty() ? "no version" : text;
}

// The histories of the rounds, up to the one that stopped the loop.
std::vector<History> histories(const OpConfig& config, const History& latest) {
  std::vector<History> all;
  for (int round = 1; round <= latest.round; ++round) {
    const fs::path file = config.history_dir(round) / "history.json";
    if (!fs::exists(file)) break;
    all.push_back(history_from_json(read_json(file)));
    if (all.back().decision.action == Decision::Action::stop) break;
  }
  return all;
}

// What each round saw and decided then.
std::string rounds_text(const std::vector<History>& rounds, const History& latest) {
  std::string text;
  for (const History& then : rounds) {
    text +=
        fmt::format("  round {}: {}; then {}: {}\n", then.round, versions_text(latest, then.round),
                    name_of(then.decision.action), then.decision.reason);
  }
  return text;
}

std::string steering_lines(const OpConfig& config) {
  const Steering steering = load_steering(config);
  std::string text;
  if (!steering.pin.empty()) text += fmt::format("  pinned: {}\n", steering.pin);
  if (!steering.fork_parent.empty()) {
    text += fmt::format("  fork: the round of {} starts from {}\n", steering.fork_version,
                        steering.fork_parent);
  }
  for (const auto& [version, reason] : steering.rejected) {
    text += fmt::format("  rejected: {} ({})\n", version, reason);
  }
  return text;
}

// Whether the asking stopped the loop in `round` (a budget, a recording that ends), not the search.
bool asking_stopped(const OpConfig& config, int round) {
  for (int version = 1; version <= config.versions; ++version) {
    if (config.round_of(version) != round) continue;
    const Json proposed = read_json_if_there(config.step_dir(version) / "proposed.json");
    if (text_member(proposed, "status") == "stopped") return true;
  }
  return false;
}

std::string remedy(const OpConfig& config, const History& history,
                   const std::vector<History>& rounds) {
  const bool stopped = history.decision.action == Decision::Action::stop;
  if (stopped && !rounds.empty() && asking_stopped(config, rounds.back().round)) {
    return fmt::format(
        "  to go on: change that (budget, prices, provider, recording), then kernelloop resume {0} "
        "and build optimize_{0}\n",
        config.op);
  }
  if (stopped) {
    return fmt::format(
        "  to go on: kernelloop steer {0} --fork vNNN, or write a version by hand and kernelloop "
        "resume {0}; then build optimize_{0}\n",
        config.op);
  }
  if (history.round >= config.rounds()) return "  to go on: raise VERSIONS\n";
  return fmt::format("  to go on: build optimize_{}\n", config.op);
}

std::string origin_text(const OpConfig& config, int version) {
  const Json origin = read_json_if_there(config.version_dir(version) / "origin.json");
  if (origin.is_null()) return "written by hand";
  const std::string parent = text_member(origin, "parent");
  std::string text =
      fmt::format("{}{} by {}", text_member(origin, "mode"), parent.empty() ? "" : " of " + parent,
                  text_member(origin, "provider"));
  if (const std::string model = text_member(origin, "model"); !model.empty()) text += " " + model;
  if (const auto turns = count_member(origin, "turns")) text += fmt::format(", {} turns", *turns);
  if (const std::string summary = text_member(origin, "summary"); !summary.empty()) {
    text += fmt::format("\n  in its author's words: {}", summary);
  }
  return text;
}

}  // namespace

std::string explain_loop(const OpConfig& config) {
  const History history = latest_history(config);
  std::string text = fmt::format("{}: {}\n", config.op, stop_reason(history, config.rounds()));
  if (const VersionRecord* best = history.best()) {
    text += fmt::format("  best: {} with {}{}\n", best->version, duration_text(*best->time_us),
                        history.device_kind == "cpu" ? " wall, CPU device" : "");
  }
  const std::vector<History> rounds = histories(config, history);
  return text + rounds_text(rounds, history) + steering_lines(config) +
         remedy(config, history, rounds);
}

std::string explain_version(const OpConfig& config, int version) {
  const std::string name = version_name(version);
  if (!fs::exists(version_source(config.version_dir(version)))) {
    fail(ExitCode::bad_input, "{}: there is no version {} in {}", config.op, name,
         (config.generated_dir / config.op).string());
  }
  std::string text = fmt::format("{} {}: {}\n", config.op, name, origin_text(config, version));
  const VersionEvidence evidence = load_evidence(config, version);
  if (evidence.compiled.is_null()) {
    text += "  not compiled in this build directory yet\n";
  } else {
    const VersionRecord record = record_of(evidence, config.round_of(version));
    const auto device = device_of(evidence);
    text += version_text(record, evidence, device ? device->kind == "cpu" : config.device == "cpu");
  }
  const Steering steering = load_steering(config);
  if (steering.rejected.contains(name)) {
    text += fmt::format("rejected by the engineer: {}\n", steering.rejected.at(name));
  }
  if (const fs::path note = config.version_dir(version) / "feedback.md"; fs::exists(note)) {
    text += "note of the engineer:\n" + read_file(note);
  }
  return text;
}

}  // namespace kernelloop
