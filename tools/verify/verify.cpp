#include "verify/verify.hpp"

#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/stopwatch.hpp"
#include "verify/climb.hpp"
#include "verify/rules.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace kernelloop {
namespace {

constexpr std::string_view k_sanitizer_rung = "sanitizer";

void check_rung(const std::string& name) {
  if (name.empty()) return;
  std::string known;
  for (const Rung& rung : ladder()) {
    if (name == rung.name) return;
    known += (known.empty() ? "" : ", ") + std::string(rung.name);
  }
  fail(ExitCode::usage, "there is no rung '{}'; the ladder has: {}", name, known);
}

// The rungs that the options ask for, in order.
std::vector<const Rung*> wanted_rungs(const VerifyOptions& options) {
  check_rung(options.only_rung);
  check_rung(options.up_to_rung);
  std::vector<const Rung*> rungs;
  for (const Rung& rung : ladder()) {
    const bool named = options.only_rung == rung.name || options.up_to_rung == rung.name;
    const bool wanted = options.only_rung.empty() || options.only_rung == rung.name;
    const bool asked_for = options.sanitizer && rung.name == k_sanitizer_rung;
    if (wanted && (!rung.on_request || named || asked_for)) rungs.push_back(&rung);
    if (options.up_to_rung == rung.name) break;
  }
  if (rungs.empty()) {
    fail(ExitCode::usage, "rung '{}' lies above '{}': nothing to climb", options.only_rung,
         options.up_to_rung);
  }
  return rungs;
}

// Where the time of the whole verification went; "total" holds what no case accounts for too.
Json cost_json(const std::vector<RungVerdict>& rungs, double total) {
  VerificationCost cost;
  for (const RungVerdict& rung : rungs) cost.add(cost_of(rung));
  Json json = to_json(cost);
  json["total"] = rounded_to_milliseconds(total);
  return json;
}

Verdict overall(const std::vector<RungVerdict>& rungs) {
  const auto any = [&](Verdict status) {
    return std::any_of(rungs.begin(), rungs.end(),
                       [&](const RungVerdict& rung) { return rung.status == status; });
  };
  if (any(Verdict::failed)) return Verdict::failed;
  if (any(Verdict::not_runnable)) return Verdict::not_runnable;
  return any(Verdict::passed) ? Verdict::passed : Verdict::skipped;
}

const RungVerdict* first_with(const std::vector<RungVerdict>& rungs, Verdict status) {
  const auto found = std::find_if(rungs.begin(), rungs.end(),
                                  [&](const RungVerdict& rung) { return rung.status == status; });
  return found == rungs.end() ? nullptr : &*found;
}

// How close the passed outputs came to their normwise limit, in the worst case.
std::string tightest(const std::vector<RungVerdict>& rungs) {
  double closest = -1.0;
  std::string text;
  for (const RungVerdict& rung : rungs) {
    for (const CaseVerdict& verdict : rung.cases) {
      for (const OutputVerdict& output : verdict.outputs) {
        for (const Gate& gate : output.gates) {
          if (gate.metric != "normwise" || gate.limit <= 0.0) continue;
          if (gate.value / gate.limit <= closest) continue;
          closest = gate.value / gate.limit;
          text = fmt::format("; normwise error at most {:.1e} of {:.1e} allowed", gate.value,
                             gate.limit);
        }
      }
    }
  }
  return text;
}

std::string summary_of(const CompiledVersion& version, const std::vector<RungVerdict>& rungs,
                       Verdict status, const std::string& device) {
  const std::string name = fmt::format("{} {}", version.op, version.version);
  if (status == Verdict::passed) {
    std::size_t cases = 0;
    for (const RungVerdict& rung : rungs) cases += rung.cases.size();
    return fmt::format("{}: passed on {} ({} cases{})", name, device, cases, tightest(rungs));
  }
  const RungVerdict* rung = first_with(rungs, status);
  const char* verb = status == Verdict::failed         ? "failed"
                     : status == Verdict::not_runnable ? "not runnable"
                                                       : "skipped";
  return fmt::format("{}: {} in rung {} on {}: {}", name, verb, rung->name, device, rung->reason);
}

std::string shape_words(const CaseVerdict& verdict) {
  std::string text;
  for (const auto& [axis, value] : verdict.axes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis, value);
  }
  return text;
}

// The first failing case for a person at a terminal.
std::string details_of(const std::vector<RungVerdict>& rungs, Verdict status) {
  const RungVerdict* rung = first_with(rungs, status);
  if (status == Verdict::passed || rung == nullptr) return {};
  std::string text = fmt::format("rung {}: {}\n", rung->name, name_of(rung->status));
  if (rung->cases.empty()) return text + "  " + rung->reason + "\n";
  const auto found = std::find_if(rung->cases.begin(), rung->cases.end(),
                                  [&](const CaseVerdict& c) { return c.status == status; });
  if (found == rung->cases.end()) return text;
  text += found->hidden ? fmt::format("  case {}\n", found->name)
                        : fmt::format("  case {} ({}), seed {}\n", found->name, shape_words(*found),
                                      found->seed);
  text += fmt::format("  {}\n", failure_text(*found));
  for (const OutputVerdict& output : found->outputs) {
    if (output.passed || found->hidden || output.worst.empty()) continue;
    text += fmt::format("  worst element {}[{}]: got {:.7g}, expected {:.7g}\n", output.name,
                        fmt::join(output.worst, ", "), output.got, output.expected);
  }
  return text;
}

}  // namespace

void check_rules(int rules) {
  if (rules == k_verification_rules) return;
  fail(ExitCode::usage,
       "the build asks for verification rules {}, this program has {}; run CMake again so that the "
       "build uses the rules of its tools",
       rules, k_verification_rules);
}

VerifyResult run_verify(const VerifyOptions& options, const ExecutorFactory& make_executor) {
  double total = 0.0;
  std::optional<ScopedSeconds> timed(total);
  check_rules(options.rules);
  const std::vector<const Rung*> wanted = wanted_rungs(options);
  const OpSpec spec = load_op_spec(options.checks);
  const CompiledVersion version = load_compiled_version(options.compiled, spec, options.device);

  VerifyResult result;
  Json device{{"kind", options.device}};
  std::string device_name = options.device;
  std::vector<RungVerdict> rungs;
  std::string reason;
  result.compiled = version.status == CompiledVersion::Status::compiled;
  if (!result.compiled) {
    if (version.status == CompiledVersion::Status::stopped) reason = "stopped: ";
    if (version.status == CompiledVersion::Status::failed) reason = "does not compile: ";
    reason += version.reason;
    result.summary = fmt::format("{} {}: skipped, {}", version.op, version.version, reason);
  } else if (version.availability != CompiledVersion::Availability::built) {
    rungs.push_back(build_rung(version, spec, options.device));
  } else {
    Climbed climbed = climb_ladder(options, spec, version, wanted, make_executor);
    device = std::move(climbed.device);
    device_name = std::move(climbed.device_name);
    rungs = std::move(climbed.rungs);
  }
  if (result.compiled) {
    result.status = overall(rungs);
    result.summary = summary_of(version, rungs, result.status, device_name);
    const RungVerdict* rung = first_with(rungs, result.status);
    if (result.status != Verdict::passed && rung != nullptr) {
      reason = fmt::format("{}: {}", rung->name, rung->reason);
    }
    result.details = details_of(rungs, result.status);
  }

  timed.reset();
  Json rung_list = Json::array();
  for (const RungVerdict& rung : rungs) rung_list.push_back(to_json(rung));
  result.json = {{"schema_version", 1},
                 {"op", version.op},
                 {"version", version.version},
                 {"status", name_of(result.status)},
                 {"reason", reason},
                 {"summary", result.summary},
                 {"rules", k_verification_rules},
                 {"source_sha256", version.source_sha256},
                 {"contract_sha256", sha256_of_file(options.contract)},
                 {"checks_sha256", sha256_of_file(options.checks)},
                 {"device", device},
                 {"cost_s", cost_json(rungs, total)},
                 {"rungs", rung_list}};
  return result;
}

ExecutorFactory worker_executors(const std::string& device, Company company) {
  return [device, company](const CompiledVersion& version) -> std::unique_ptr<Executor> {
    WorkerOptions options{device, {}};
    options.company = company;
    return std::make_unique<WorkerExecutor>(options, version);
  };
}

}  // namespace kernelloop
