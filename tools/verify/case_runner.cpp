#include "verify/case_runner.hpp"

#include "support/error.hpp"
#include "verify/inputs.hpp"
#include "verify/output_judge.hpp"
#include "verify/pattern.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace kernelloop {
namespace {

using Digests = std::vector<XXH128_hash_t>;

bool operator!=(const XXH128_hash_t& a, const XXH128_hash_t& b) {
  return XXH128_isEqual(a, b) == 0;
}

// The life of one case.
class Case {
 public:
  Case(const OpSpec& spec, const CasePlan& plan, ResolvedPlan resolved, Bindings axes,
       std::map<std::string, double> scalars)
      : spec_(spec), plan_(plan), arena_(slots(spec, axes)) {
    request_.arena = &arena_;
    request_.plan = std::move(resolved);
    inputs_.axes = std::move(axes);
    inputs_.scalars = std::move(scalars);
    for (const Tensor& tensor : spec.inputs) {
      if (tensor.scalar) continue;
      const auto count = static_cast<std::size_t>(element_count(tensor, inputs_.axes));
      const MemoryBlock& block =
          input_memory_.emplace_back(count * sizeof(double), MemoryBlock::Kind::owned);
      const auto values = plan.values.find(tensor.name);
      draw_tensor(tensor, values == plan.values.end() ? tensor.values : values->second, plan.seed,
                  arena_.bytes(tensor.name), block.as<double>());
      inputs_.tensors[tensor.name] = block.as<double>();
    }
  }

  // Runs the candidate; what it does wrong while running is returned.
  std::optional<CaseFault> run(Executor& executor, const CaseRun& run,
                               std::chrono::milliseconds timeout) {
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

  // Calls the reference the first time; its inputs are not kept.
  std::vector<OutputVerdict> judge(const ReferenceLibrary& reference, std::byte poison) {
    if (expected_.empty()) {
      expected_ = reference.run(spec_, inputs_);
      inputs_.tensors.clear();
      input_memory_.clear();
    }
    return judge_outputs(spec_, inputs_.axes, arena_, expected_, poison);
  }

  [[nodiscard]] Digests digests() const {
    Digests digests;
    for (const Tensor& output : spec_.outputs) {
      const auto bytes = arena_.bytes(output.name);
      digests.push_back(XXH3_128bits(bytes.data(), bytes.size()));
    }
    return digests;
  }

  // The outputs as they are now, one after the other.
  [[nodiscard]] std::vector<std::byte> copy_outputs() const {
    std::vector<std::byte> copy;
    for (const Tensor& output : spec_.outputs) {
      const auto bytes = arena_.bytes(output.name);
      copy.insert(copy.end(), bytes.begin(), bytes.end());
    }
    return copy;
  }

  // The first element in which the outputs differ from `before`: "y[3, 17] (0.5, then 0.25)".
  [[nodiscard]] std::string first_difference(const std::vector<std::byte>& before) const {
    const std::byte* old = before.data();
    for (const Tensor& output : spec_.outputs) {
      const auto bytes = arena_.bytes(output.name);
      const auto at = std::mismatch(bytes.begin(), bytes.end(), old).first - bytes.begin();
      if (at < static_cast<std::ptrdiff_t>(bytes.size())) {
        const auto size = static_cast<std::ptrdiff_t>(info(output.dtype).size);
        const std::ptrdiff_t element = at / size;
        return fmt::format("{}{} ({:.6g}, then {:.6g})", output.name,
                           index_text(element, shape_of(output, inputs_.axes)),
                           load_element(output.dtype, old + element * size),
                           load_element(output.dtype, bytes.data() + element * size));
      }
      old += bytes.size();
    }
    return "an element";
  }

 private:
  static std::vector<TensorArena::Slot> slots(const OpSpec& spec, const Bindings& axes) {
    std::vector<TensorArena::Slot> slots;
    const auto add = [&](const Tensor& tensor, bool output) {
      if (tensor.scalar) return;
      const auto count = static_cast<std::size_t>(element_count(tensor, axes));
      slots.push_back({tensor.name, count * info(tensor.dtype).size, output});
    };
    for (const Tensor& input : spec.inputs) add(input, false);
    for (const Tensor& output : spec.outputs) add(output, true);
    return slots;
  }

  const OpSpec& spec_;
  const CasePlan& plan_;
  TensorArena arena_;
  RunRequest request_;
  ReferenceInputs inputs_;
  std::vector<MemoryBlock> input_memory_;
  std::map<std::string, ReferenceOutput> expected_;
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
CaseFault explain_difference(Case& body, Executor& executor, const CaseRun& first,
                             const Digests& digests_of_first, std::chrono::milliseconds timeout) {
  const std::vector<std::byte> later = body.copy_outputs();
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

void climb(Case& body, const CasePlan& plan, const ReferenceLibrary& reference, Executor& executor,
           std::chrono::milliseconds timeout, CaseVerdict& verdict) {
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

CaseVerdict CaseRunner::run(const CasePlan& plan) const {
  CaseVerdict verdict;
  verdict.name = plan.name;
  verdict.axes = plan.variables;
  verdict.seed = plan.seed;
  verdict.hidden = plan.hidden;

  Bindings axes = resolve_axes(spec_, plan.variables);
  std::map<std::string, double> scalars = draw_scalars(spec_, plan.scalars, plan.seed);
  ResolveResult resolved = resolve_plan(version_.plan, spec_, version_.kernels, axes, scalars,
                                        executor_.device().limits);
  if (!resolved.plan || resolved.plan->launches.empty()) {
    verdict.fault = CaseFault{"plan", words(resolved.problems)};
  } else {
    Case body(spec_, plan, std::move(*resolved.plan), std::move(axes), std::move(scalars));
    climb(body, plan, reference_, executor_, timeout_, verdict);
  }
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
