#include "verify/climb.hpp"

#include "verify/case_queue.hpp"
#include "verify/case_runner.hpp"
#include "verify/plan_shapes.hpp"

#include <fmt/ranges.h>

#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <utility>

namespace kernelloop {
namespace {

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

// A case of which the candidate has run.
struct RunCase {
  std::unique_ptr<CaseData> data;
  std::future<CaseVerdict> verdict;  // which looks at the data: it goes first
};

// Adds the verdict of a case to that of its rung.
void add(CaseVerdict result, RungVerdict& verdict) {
  if (result.status != Verdict::passed &&
      (verdict.status == Verdict::passed || result.status == Verdict::failed)) {
    if (verdict.status != Verdict::failed) {
      verdict.reason = fmt::format("{}: {}", result.name, failure_text(result));
    }
    verdict.status = result.status;
  }
  verdict.cases.push_back(std::move(result));
}

// Each case is judged while the candidate runs the next one; of that nothing is told when the case
// before it ends the climb.
RungVerdict climb_rung(const PlannedRung& planned, CaseQueue& queue, const CaseRunner& runner,
                       bool keep_going) {
  RungVerdict verdict{planned.rung->name, Verdict::passed, "", {}, planned.notes};
  if (planned.cases.empty()) {
    return {planned.rung->name, Verdict::skipped, planned.rung->without_cases, {}, {}};
  }
  const auto goes_on = [&] {
    // What could not be looked at hides nothing of what comes after it.
    const Verdict last = verdict.cases.back().status;
    return keep_going || last == Verdict::passed || last == Verdict::skipped;
  };
  std::optional<RunCase> before;
  std::unique_ptr<CaseData> spare;
  for (const CasePlan& plan : planned.cases) {
    RunCase now{queue.take(std::move(spare)), {}};
    now.verdict = runner.begin(plan, *now.data);
    if (before) {
      add(before->verdict.get(), verdict);
      if (!goes_on()) return verdict;
      spare = std::move(before->data);
    }
    before = std::move(now);
  }
  add(before->verdict.get(), verdict);
  return verdict;
}

// What is there before a device is needed. Begins to make the first cases.
struct Preparation {
  Preparation(const VerifyOptions& options, const OpSpec& spec, const CompiledVersion& version,
              const std::vector<const Rung*>& wanted, const ReferenceLibrary& reference)
      : seeds(options.seed),
        plans(planned(wanted,
                      {spec, options.device, seeds, reference, &version.plan, version.numbers})),
        queue(spec, reference, cases_of(plans), options.device != "cpu") {}

  SeedSource seeds;
  std::vector<PlannedRung> plans;
  CaseQueue queue;
};

}  // namespace

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

Climbed climb_ladder(const VerifyOptions& options, const OpSpec& spec,
                     const CompiledVersion& version, const std::vector<const Rung*>& wanted,
                     const ExecutorFactory& make_executor) {
  const ReferenceLibrary reference(options.reference, options.reference_timeout);
  reference.warm_up();  // before anything large is here
  auto preparing = std::async(std::launch::async, [&] {
    return std::make_unique<Preparation>(options, spec, version, wanted, reference);
  });
  // Meanwhile the device starts: in this thread, since a worker does not outlive the one that
  // started it.
  std::unique_ptr<Executor> executor;
  std::exception_ptr no_device;
  try {
    executor = make_executor(version);
    executor->warm_up();
  } catch (...) {
    no_device = std::current_exception();
  }
  std::unique_ptr<Preparation> ready = preparing.get();  // a broken reference is told first
  if (no_device) std::rethrow_exception(no_device);

  Climbed climbed{{}, to_json(executor->device()), executor->device().name};
  const CaseRunner runner(spec, version, reference, *executor, options.launch_timeout);
  for (const PlannedRung& plan : ready->plans) {
    climbed.rungs.push_back(plan.rung->cases == nullptr
                                ? build_rung(version, spec, options.device)
                                : climb_rung(plan, ready->queue, runner, options.keep_going));
    const Verdict status = climbed.rungs.back().status;
    if (status != Verdict::passed && status != Verdict::skipped && !options.keep_going) break;
  }
  // Both take their time: a GPU to let a process go, the system to take gigabytes back.
  const auto closed = std::async(std::launch::async, [&] { executor.reset(); });
  ready.reset();
  return climbed;
}

}  // namespace kernelloop
