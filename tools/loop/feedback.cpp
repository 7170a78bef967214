#include "loop/feedback.hpp"

#include "loop/policy.hpp"
#include "support/json_members.hpp"
#include "support/rounded.hpp"
#include "support/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

constexpr std::size_t k_max_problems = 6;
constexpr std::size_t k_max_cases = 3;

// A member as people read it: text without quotes.
std::string field(const Json& json, const char* name) {
  const Json& found = member(json, name);
  if (found.is_null()) return "";
  return found.is_string() ? found.get<std::string>() : found.dump();
}

double number(const Json& json, const char* name) {
  return number_member(json, name).value_or(NAN);
}

std::string axes_text(const Json& axes) {
  std::string text;
  for (const auto& [name, value] : axes.items()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value.dump());
  }
  return text;
}

std::string problems_text(const Json& compiled) {
  std::string text;
  std::size_t shown = 0;
  for (const Json& problem : list_member(compiled, "problems")) {
    if (shown++ == k_max_problems) break;
    const int line = problem.value("line", 0);
    text +=
        fmt::format("- {}{}: {}\n", problem.value("severity", "error"),
                    line > 0 ? fmt::format(" at line {}", line) : "", field(problem, "message"));
    if (const std::string source = field(problem, "source_line"); !source.empty()) {
      text += fmt::format("  `{}`\n", source);
    }
  }
  return text;
}

std::string in_feedback(double value) {
  return beside_one(value, [](double plain) { return rounded(plain); });
}

std::string output_text(const Json& output) {
  std::string text = fmt::format("  - `{}`:", field(output, "name"));
  for (const Json& gate : list_member(output, "gates")) {
    if (gate.value("passed", true)) continue;
    if (!gate.contains("limit")) {  // a hold-out case, of which the numbers are not told
      text += fmt::format(" {} is beyond its limit;", field(gate, "metric"));
      continue;
    }
    text += fmt::format(" {} is {} (limit {});", field(gate, "metric"),
                        in_feedback(number(gate, "value")), in_feedback(number(gate, "limit")));
  }
  if (const auto worst = output.find("worst"); worst != output.end() && worst->is_object()) {
    text += fmt::format(" worst at {}: got {}, expected {};",
                        worst->value("index", Json::array()).dump(), field(*worst, "got"),
                        field(*worst, "expected"));
  }
  if (const std::string pattern = field(output, "pattern"); !pattern.empty()) {
    text += fmt::format(" pattern: {}", pattern);
  }
  return text + "\n";
}

std::string failures_text(const Json& verified) {
  std::string text;
  std::size_t shown = 0;
  for (const Json& rung : list_member(verified, "rungs")) {
    if (rung.value("status", "") != "failed") continue;
    text += fmt::format("- rung `{}` failed. {}\n", field(rung, "name"), field(rung, "reason"));
    for (const Json& test : list_member(rung, "cases")) {
      if (test.value("status", "") != "failed" || shown++ >= k_max_cases) continue;
      const std::string shape = axes_text(test.value("axes", Json::object()));
      text += fmt::format("- case `{}`{}\n", field(test, "name"),
                          shape.empty() ? "" : " (" + shape + ")");
      if (const auto fault = test.find("fault");
          fault != test.end() && fault->is_object() && fault->value("kind", "none") != "none") {
        text += fmt::format("  - {}: {}\n", field(*fault, "kind"), field(*fault, "message"));
      }
      for (const Json& output : list_member(test, "outputs")) text += output_text(output);
    }
  }
  return text;
}

std::string resources_text(const Json& compiled) {
  std::string text;
  for (const Json& kernel : list_member(compiled, "kernels")) {
    if (!kernel.contains("registers") || kernel["registers"].is_null()) continue;
    text += fmt::format(
        "- `{}`: {} registers, {} B static shared memory, {} B spill stores, {} B stack\n",
        field(kernel, "name"), field(kernel, "registers"), field(kernel, "static_shared_bytes"),
        field(kernel, "spill_store_bytes"), field(kernel, "stack_bytes"));
  }
  return text;
}

std::string times_text(const Json& measured, bool cpu) {
  std::string text =
      cpu ? "| workload | wall time (CPU emulation, not a GPU time) | spread |\n|---|---|---|\n"
          : "| workload | median | spread | GB/s | of the roofline |\n|---|---|---|---|---|\n";
  for (const Json& workload : list_member(measured, "workloads")) {
    const std::string name = fmt::format("{} ({})", field(workload, "name"),
                                         axes_text(workload.value("axes", Json::object())));
    const std::string time =
        rounded(number(workload, "median_us"), PolicySettings{}.gain_on(cpu ? "cpu" : "cuda")) +
        " µs";
    const std::string spread = spread_in_words(number(workload, "spread"));
    if (cpu) {
      text += fmt::format("| {} | {} | {} |\n", name, time, spread);
    } else {
      text += fmt::format("| {} | {} | {} | {} | {} % |\n", name, time, spread,
                          rounded(number(workload, "bytes_per_second") / 1e9),
                          rounded_percent(number(workload, "sol")));
    }
  }
  if (const std::string noise = field(member(measured, "summary"), "noise"); !noise.empty()) {
    text += "\nnoisy: " + noise + "\n";
  }
  return text;
}

// The digest of the counters, where there is one.
std::string counters_text(const Json& profiled) {
  std::string text;
  for (const Json& line : list_member(profiled, "digest")) {
    if (line.is_string()) text += "- " + line.get<std::string>() + "\n";
  }
  if (text.empty()) return text;
  return fmt::format("Hardware counters, workload {}:\n{}",
                     field(member(profiled, "workload"), "name"), text);
}

// How a right version did against the one that it was made from.
std::string against_parent(const VersionRecord& record, const History& history) {
  const VersionRecord* parent = history.find(record.parent);
  if (record.outcome != Outcome::verified || parent == nullptr) return {};
  if (!record.time_us || !parent->time_us) return {};
  const double ratio = *record.time_us / *parent->time_us;
  const double margin = PolicySettings{}.gain_on(history.device_kind);
  if (std::fabs(ratio - 1) <= margin) {
    return fmt::format("As fast as {}, which it was made from.\n", parent->version);
  }
  return fmt::format("It takes {} times what {} takes, which it was made from.\n",
                     rounded(ratio, margin), parent->version);
}

// What the versions have to beat.
std::string baselines_text(const History& history, bool cpu) {
  std::string text;
  const VersionRecord* best = history.best();
  for (const BaselineRecord& one : history.baselines) {
    if (!one.time_us) continue;
    text += fmt::format("Baseline {}: {} µs{}{}.\n", one.name, rounded(*one.time_us),
                        cpu ? " wall time on the CPU device" : "",
                        best == nullptr ? ""
                                        : fmt::format("; {} takes {} of that", best->version,
                                                      rounded(*best->time_us / *one.time_us)));
  }
  return text;
}

}  // namespace

std::string version_text(const VersionRecord& record, const VersionEvidence& evidence, bool cpu) {
  std::string text = fmt::format("## {}: {}\n", record.version, name_of(record.outcome));
  switch (record.outcome) {
    case Outcome::compile_failed:
      return text + problems_text(evidence.compiled);
    case Outcome::wrong:
    case Outcome::not_runnable:
      return text + record.failure + "\n" + failures_text(evidence.verified);
    case Outcome::bench_failed:
    case Outcome::duplicate:
    case Outcome::rejected:
      return text + record.failure + "\n";
    case Outcome::verified: {
      const std::string resources = resources_text(evidence.compiled);
      return text + times_text(evidence.measured, cpu) + (resources.empty() ? "" : "\n") +
             resources + counters_text(evidence.profiled);
    }
  }
  return text;
}

std::string feedback_text(const History& history, const std::vector<VersionEvidence>& round) {
  const bool cpu = history.device_kind == "cpu";
  std::string text = fmt::format("# What was measured in round {}\n\n", history.round);
  if (!history.device_name.empty()) {
    text += fmt::format(
        "Device: {}{}.\n\n", history.device_name,
        cpu ? " (CPU emulation: right or wrong counts, times say little about a GPU)" : "");
  }
  for (const VersionEvidence& evidence : round) {
    const VersionRecord* record = history.find(version_name(evidence.version));
    if (record == nullptr) continue;
    text += version_text(*record, evidence, cpu) + against_parent(*record, history) + "\n";
  }
  if (const VersionRecord* best = history.best(); best != nullptr) {
    text += fmt::format(
        "Best so far: {} with {} µs{}{}.\n", best->version,
        rounded(*best->time_us, PolicySettings{}.gain_on(history.device_kind)),
        cpu ? " wall time on the CPU emulation" : "",
        best->sol ? fmt::format(", {} % of the roofline", rounded_percent(*best->sol)) : "");
  }
  text += baselines_text(history, cpu);
  text +=
      fmt::format("Next: {} ({}).\n", name_of(history.decision.action), history.decision.reason);
  return text;
}

}  // namespace kernelloop
