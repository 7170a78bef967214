#include "verify/case_runner.hpp"

#include "support/error.hpp"
#include "verify/case_runs.hpp"

#include <algorithm>
#include <utility>

namespace kernelloop {
namespace {

bool all_passed(const std::vector<OutputVerdict>& outputs) {
  return std::all_of(outputs.begin(), outputs.end(),
                     [](const OutputVerdict& output) { return output.passed; });
}

std::string words(const std::vector<PlanProblem>& problems) {
  std::string text;
  for (const PlanProblem& problem : problems) {
    text += (text.empty() ? "" : "; ") + problem.message;
  }
  return text.empty() ? "the launch plan selects no launch" : text;
}

// The first run of the case was right, this one is wrong: what is different about it?
const char* blame(const CaseRun& first, const CaseRun& run) {
  if (run.schedule_seed != first.schedule_seed) {
    return "depends on the order of threads: right in order, wrong in another order (a missing "
           "barrier, or blocks that trust their order?): ";
  }
  if (run.placement == Placement::least_alignment) {
    return "right with tensors at 256-byte boundaries, wrong where each starts at a multiple of "
           "its declared alignment and of nothing more: ";
  }
  if (run.placement != first.placement) {
    return "right with memory around the tensors, wrong with none next to them: ";
  }
  return "changes from run to run: right in the first run, wrong in a later one on the same "
         "inputs: ";
}

void put_in_front(const char* text, std::vector<OutputVerdict>& outputs) {
  for (OutputVerdict& output : outputs) {
    if (!output.passed) output.pattern = text + output.pattern;
  }
}

// Whether another order of threads changes a result that is wrong in order: a race, most likely.
// Costs a few runs of a case that has failed.
bool changes_with_the_order(CaseRuns& body, const CaseRun& run) {
  const std::uint64_t in_order = body.digest();
  for (const std::uint64_t seed : {0x5bd1e995u, 0x9e3779b1u}) {
    CaseRun other = run;
    other.schedule_seed = seed;
    if (body.run(other) || body.digest() != in_order) return true;
  }
  return false;
}

void conceal(CaseVerdict& verdict) {
  if (verdict.fault) verdict.fault->message = "at a shape that is not shown";
}

void climb(CaseRuns& body, const CasePlan& plan, const ReferenceLibrary& reference,
           bool deterministic, bool emulated, CaseVerdict& verdict) {
  const CaseRun& first = plan.runs.front();
  std::optional<std::uint64_t> digest_of_first;
  for (const CaseRun& run : plan.runs) {
    verdict.fault = body.run(run, digest_of_first);
    if (verdict.fault) return;
    // The same bits are as right as they were.
    if (digest_of_first && body.digest() == *digest_of_first) continue;
    const bool is_first = &run == &first;
    const bool same_place = run.placement == first.placement;
    const bool alike = same_place && run.schedule_seed == first.schedule_seed;
    if (is_first || !alike || !deterministic) {
      std::vector<OutputVerdict> outputs = body.judge(reference, run.poison);
      const bool good = all_passed(outputs);
      if (!is_first) put_in_front(blame(first, run), outputs);
      if (is_first && !good && emulated && deterministic && changes_with_the_order(body, run)) {
        put_in_front(
            "depends on the order of threads: wrong in order, different in another order "
            "(a missing barrier?): ",
            outputs);
      }
      if (is_first || !good) verdict.outputs = std::move(outputs);
      if (!good) return;
    }
    if (is_first) {
      if (plan.runs.size() > 1) digest_of_first = body.digest();
    } else if (alike || (same_place && plan.same_bits_in_any_order)) {
      if (!deterministic) {
        verdict.note = "differs from run to run within the bounds, as the op declares";
        continue;
      }
      verdict.fault = body.explain_difference(first, *digest_of_first, run);
      return;
    }
  }
}

Verdict status_of(const CaseVerdict& verdict) {
  if (!verdict.fault) return all_passed(verdict.outputs) ? Verdict::passed : Verdict::failed;
  const bool lacking = verdict.fault->kind == name_of(FaultKind::not_runnable);
  return lacking ? Verdict::not_runnable : Verdict::failed;
}

}  // namespace

RepeatedCase* CaseRunner::repeat(const CasePlan& plan, CaseData& data, CaseVerdict& verdict) const {
  verdict.axes[plan.repetition->axis] = plan.repetition->whole;
  const auto needed =
      static_cast<std::int64_t>(bytes_of(slots_of(spec_, resolve_axes(spec_, verdict.axes))));
  const std::int64_t there = executor_.device().memory_bytes;
  if (needed > there / 10 * 9) {
    verdict.note =
        fmt::format("needs {} MiB on the device, which has {} MiB", needed >> 20, there >> 20);
    return nullptr;
  }
  return data.repeated(*plan.repetition, verdict.note);
}

// All that belongs to a case while it is run and judged.
struct CaseRunner::Case {
  Case(const CasePlan& plan_of_it, CaseData& data_of_it) : plan(plan_of_it), data(data_of_it) {
    verdict.name = plan.name;
    verdict.axes = plan.variables;
    verdict.seed = plan.seed;
    if (plan.family.family != nullptr) verdict.family = plan.family.family->name;
    verdict.hidden = plan.hidden;
  }

  CaseVerdict finish() {
    verdict.cost.add(data.cost());
    const bool possible = !plan.repetition || repeated != nullptr;
    const bool not_looked_at = (plan.tool || !possible) && !verdict.fault && !verdict.note.empty();
    verdict.status = not_looked_at ? Verdict::skipped : status_of(verdict);
    if (plan.hidden) conceal(verdict);
    return std::move(verdict);
  }

  const CasePlan& plan;
  CaseData& data;
  CaseVerdict verdict;
  RepeatedCase* repeated = nullptr;
  std::optional<CaseRuns> runs;
};

std::future<CaseVerdict> CaseRunner::begin(const CasePlan& plan, CaseData& data) const {
  auto one = std::make_unique<Case>(plan, data);
  if (plan.repetition) one->repeated = repeat(plan, data, one->verdict);
  const bool to_judge = (!plan.repetition || one->repeated != nullptr) && run(*one);
  return std::async(to_judge ? std::launch::async : std::launch::deferred, [this, to_judge,
                                                                            one = std::move(one)] {
    if (to_judge) {
      one->verdict.outputs = one->runs->judge(reference_, one->plan.runs.front().poison);
    }
    return one->finish();
  });
}

bool CaseRunner::run(Case& one) const {
  const bool emulated = executor_.device().kind == "cpu";
  const CasePlan& plan = one.plan;
  CaseVerdict& verdict = one.verdict;
  ResolveResult resolved =
      resolve_plan(version_.plan, spec_, version_.kernels,
                   one.repeated != nullptr ? one.repeated->axes() : one.data.axes(),
                   one.data.scalars(), executor_.device().limits);
  if (!resolved.plan || resolved.plan->launches.empty()) {
    verdict.fault = CaseFault{"plan", words(resolved.problems)};
    return false;
  }
  CaseRuns& runs = one.runs.emplace(spec_, one.data, one.repeated, std::move(*resolved.plan),
                                    executor_, timeout_, verdict);
  if (plan.tool) {
    verdict.fault = runs.check(*plan.tool, verdict.note);
  } else if (plan.runs.size() == 1 && !emulated) {
    verdict.fault = runs.run(plan.runs.front());
    return !verdict.fault;
  } else {
    climb(runs, plan, reference_, spec_.precision.deterministic, emulated, verdict);
  }
  return false;
}

}  // namespace kernelloop
