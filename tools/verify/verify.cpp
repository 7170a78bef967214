#include "verify/verify.hpp"

#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/stopwatch.hpp"
#include "verify/case_queue.hpp"
#include "verify/case_runner.hpp"
#include "verify/plan_shapes.hpp"
#include "verify/rules.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <future>
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

// Whether there is an artefact that runs, made of the arithmetic that the op declares, with a plan
// of which every launch can be tested.
RungVerdict build_rung(const CompiledVersion& version, const OpSpec& spec,
                       const std::string& device) {
  RungVerdict verdict{"build", Verdict::passed, version.artifact_reason, {}, {}};
  verdict.notes = version.instructions.notes;
  if (!version.instructions.violations.empty()) {
    verdict.status = Verdict::failed;
    verdict.reason = fmt::format("{}", fmt::join(version.instructions.violations, "; "));
  } else if (version.availability == CompiledVersion::Availability::failed) {
    verdict.status = Verdict::failed;
  } else if (version.availability == CompiledVersion::Availability::not_runnable) {
    verdict.status = Verdict::not_runnable;
  } else {
    const LaunchFindings launches = unreached_launches(spec, version.plan, device);
    verdict.notes.insert(verdict.notes.end(), launches.notes.begin(), launches.notes.end());
    if (!launches.violations.empty()) {
      verdict.status = Verdict::failed;
      verdict.reason = fmt::format("{}", fmt::join(launches.violations, "; "));
    }
  }
  return verdict;
}

// A rung with the cases chosen for it, and what it says of its choice.
struct PlannedRung {
  const Rung* rung;
  std::vector<CasePlan> cases;
  std::vector<std::string> notes;
};

std::vector<PlannedRung> planned(const std::vector<const Rung*>& rungs, RungContext context) {
  std::vector<PlannedRung> result;
  for (const Rung* rung : rungs) {
    result.push_back({rung, {}, {}});
    context.notes = &result.back().notes;
    if (rung->cases != nullptr) result.back().cases = rung->cases(context);
  }
  return result;
}

std::vector<CasePlan> cases_of(const std::vector<PlannedRung>& rungs) {
  std::vector<CasePlan> cases;
  for (const PlannedRung& planned : rungs) {
    cases.insert(cases.end(), planned.cases.begin(), planned.cases.end());
  }
  return cases;
}

RungVerdict climb_rung(const PlannedRung& planned, CaseQueue& queue, const CaseRunner& runner,
                       bool keep_going) {
  RungVerdict verdict{planned.rung->name, Verdict::passed, "", {}, planned.notes};
  if (planned.cases.empty()) {
    return {planned.rung->name, Verdict::skipped, planned.rung->without_cases, {}, {}};
  }
  std::unique_ptr<CaseData> data;
  for (const CasePlan& plan : planned.cases) {
    data = queue.take(std::move(data));
    const CaseVerdict& result = verdict.cases.emplace_back(runner.run(plan, *data));
    if (result.status == Verdict::passed) continue;
    if (verdict.status == Verdict::passed || result.status == Verdict::failed) {
      if (verdict.status != Verdict::failed) {
        verdict.reason = fmt::format("{}: {}", result.name, failure_text(result));
      }
      verdict.status = result.status;
    }
    // What could not be looked at hides nothing of what comes after it.
    if (!keep_going && result.status != Verdict::skipped) break;
  }
  return verdict;
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
    std::optional<ReferenceLibrary> reference(std::in_place, options.reference,
                                              options.reference_timeout);
    SeedSource seeds(options.seed);
    const RungContext context{spec,       options.device, seeds,
                              *reference, &version.plan,  version.numbers};
    const std::vector<PlannedRung> plans = planned(wanted, context);
    // Makes the first cases while the device starts.
    std::optional<CaseQueue> queue(std::in_place, spec, *reference, cases_of(plans),
                                   options.device != "cpu");
    std::unique_ptr<Executor> executor = make_executor(version);
    device = to_json(executor->device());
    device_name = executor->device().name;
    const CaseRunner runner(spec, version, *reference, *executor, options.launch_timeout);
    for (const PlannedRung& plan : plans) {
      rungs.push_back(plan.rung->cases == nullptr
                          ? build_rung(version, spec, options.device)
                          : climb_rung(plan, *queue, runner, options.keep_going));
      const Verdict status = rungs.back().status;
      if (status != Verdict::passed && status != Verdict::skipped && !options.keep_going) break;
    }
    // Both take their time: a GPU to let a process go, the system to take gigabytes back.
    const auto closed = std::async(std::launch::async, [&] { executor.reset(); });
    queue.reset();
    reference.reset();
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

ExecutorFactory worker_executors(const std::string& device) {
  return [device](const CompiledVersion& version) -> std::unique_ptr<Executor> {
    return std::make_unique<WorkerExecutor>(WorkerOptions{device, {}, {}}, version);
  };
}

}  // namespace kernelloop
