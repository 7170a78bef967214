#include "verify/case_runner.hpp"

#include "support/error.hpp"
#include "support/stopwatch.hpp"
#include "verify/output_judge.hpp"
#include "verify/output_snapshot.hpp"
#include "verify/parallel.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace kernelloop {
namespace {

using Digests = std::vector<XXH128_hash_t>;

// A hash of the hashes of its pieces, which all cores take.
XXH128_hash_t digest(std::span<const std::byte> bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  Digests pieces(static_cast<std::size_t>(chunk_count(size)));
  for_chunks(size, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    pieces[static_cast<std::size_t>(chunk)] =
        XXH3_128bits(bytes.data() + begin, static_cast<std::size_t>(end - begin));
  });
  return XXH3_128bits(pieces.data(), pieces.size() * sizeof(XXH128_hash_t));
}

bool operator!=(const XXH128_hash_t& a, const XXH128_hash_t& b) {
  return XXH128_isEqual(a, b) == 0;
}

// The runs of one case.
class CaseRuns {
 public:
  CaseRuns(const OpSpec& spec, CaseData& data, ResolvedPlan resolved, VerificationCost& cost)
      : spec_(spec), data_(data), cost_(cost) {
    request_.arena = &data.arena();
    request_.plan = std::move(resolved);
  }

  // Runs the candidate; what it does wrong while running is returned.
  std::optional<CaseFault> run(Executor& executor, const CaseRun& run,
                               std::chrono::milliseconds timeout) {
    const ScopedSeconds timed(cost_.candidate);
    request_.poison = run.poison;
    request_.schedule_seed = run.schedule_seed;
    request_.timeout = timeout;
    const RunResult result = executor.run(request_);
    if (result.fault) return CaseFault{name_of(result.fault.kind), result.fault.message};
    if (result.changed_inputs.empty()) return std::nullopt;
    return CaseFault{"changed_input", fmt::format("the kernel writes to input '{}'; inputs are for "
                                                  "reading only",
                                                  fmt::join(result.changed_inputs, "', '"))};
  }

  std::vector<OutputVerdict> judge(const ReferenceLibrary& reference, std::byte poison) {
    const auto& expected = data_.expected(reference);
    const ScopedSeconds timed(cost_.judge);
    return judge_outputs(spec_, data_.axes(), data_.traits(), data_.arena(), expected, poison);
  }

  [[nodiscard]] Digests digests() const {
    const ScopedSeconds timed(cost_.judge);
    Digests digests;
    for (const Tensor& output : spec_.outputs) {
      digests.push_back(digest(data_.arena().bytes(output.name)));
    }
    return digests;
  }

  [[nodiscard]] OutputSnapshot snapshot() const { return {spec_, data_.axes(), data_.arena()}; }

  // The first element that is not as in `before`: "y[3, 17] (0.5, then 0.25)".
  [[nodiscard]] std::string first_difference(const OutputSnapshot& before) const {
    const auto found = before.first_difference(data_.arena());
    if (!found) return "an element";
    return fmt::format("{}{} ({:.6g}, then {:.6g})", found->output, found->index, found->before,
                       found->now);
  }

 private:
  const OpSpec& spec_;
  CaseData& data_;
  VerificationCost& cost_;
  RunRequest request_;
};

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

// Run `later` gave other bits than run `first`. Runs `first` once more to tell why.
CaseFault explain_difference(CaseRuns& body, Executor& executor, const CaseRun& first,
                             const Digests& digests_of_first, std::chrono::milliseconds timeout) {
  const OutputSnapshot later = body.snapshot();
  if (auto fault = body.run(executor, first, timeout)) return *fault;
  const Digests again = body.digests();
  const bool repeatable = std::equal(again.begin(), again.end(), digests_of_first.begin(),
                                     [](const auto& a, const auto& b) { return !(a != b); });
  const std::string where = body.first_difference(later);
  if (repeatable) {
    return {
        "reads_uninitialised",
        "what the outputs and the workspace hold before the launch changes the result, first at " +
            where + ": the kernel reads memory that it has not written, or leaves it unwritten"};
  }
  return {"not_deterministic", "two runs on the same inputs differ, first at " + where +
                                   ": a race, or floating-point atomics in no fixed order"};
}

// The same launch was right with its threads in order.
void blame_schedule(std::vector<OutputVerdict>& outputs) {
  for (OutputVerdict& output : outputs) {
    if (output.passed) continue;
    output.pattern =
        "right with the threads in order, wrong in another order (a missing barrier?): " +
        output.pattern;
  }
}

void conceal(CaseVerdict& verdict) {
  if (verdict.fault) verdict.fault->message = "at a shape that is not shown";
}

void climb(CaseRuns& body, const CasePlan& plan, const ReferenceLibrary& reference,
           Executor& executor, std::chrono::milliseconds timeout, CaseVerdict& verdict) {
  Digests first;
  for (const CaseRun& run : plan.runs) {
    verdict.fault = body.run(executor, run, timeout);
    if (verdict.fault) return;
    const bool is_first = &run == &plan.runs.front();
    if (is_first || run.schedule_seed != plan.runs.front().schedule_seed) {
      std::vector<OutputVerdict> outputs = body.judge(reference, run.poison);
      const bool good = all_passed(outputs);
      if (!is_first) blame_schedule(outputs);
      if (is_first || !good) verdict.outputs = std::move(outputs);
      if (!good) return;
    }
    if (is_first) {
      first = body.digests();
    } else if (run.schedule_seed == plan.runs.front().schedule_seed) {
      const Digests digests = body.digests();
      for (std::size_t output = 0; output < digests.size(); ++output) {
        if (digests[output] != first[output]) {
          verdict.fault = explain_difference(body, executor, plan.runs.front(), first, timeout);
          return;
        }
      }
    }
  }
}

}  // namespace

CaseVerdict CaseRunner::run(const CasePlan& plan, CaseData& data) const {
  CaseVerdict verdict;
  verdict.name = plan.name;
  verdict.axes = plan.variables;
  verdict.seed = plan.seed;
  if (plan.family != nullptr) verdict.family = plan.family->name;
  verdict.hidden = plan.hidden;

  ResolveResult resolved = resolve_plan(version_.plan, spec_, version_.kernels, data.axes(),
                                        data.scalars(), executor_.device().limits);
  if (!resolved.plan || resolved.plan->launches.empty()) {
    verdict.fault = CaseFault{"plan", words(resolved.problems)};
  } else {
    CaseRuns body(spec_, data, std::move(*resolved.plan), verdict.cost);
    climb(body, plan, reference_, executor_, timeout_, verdict);
  }
  verdict.cost.add(data.cost());
  if (verdict.fault) {
    const bool lacking = verdict.fault->kind == name_of(FaultKind::not_runnable);
    verdict.status = lacking ? Verdict::not_runnable : Verdict::failed;
  } else {
    verdict.status = all_passed(verdict.outputs) ? Verdict::passed : Verdict::failed;
  }
  if (plan.hidden) conceal(verdict);
  return verdict;
}

}  // namespace kernelloop
