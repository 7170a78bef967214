#include "verify/oracle.hpp"

#include "verify/case_queue.hpp"
#include "verify/case_runner.hpp"
#include "verify/mutant_executor.hpp"
#include "verify/rules.hpp"
#include "verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace kernelloop {
namespace {

constexpr std::chrono::minutes k_ample{10};

const char* name_of(OracleFinding::Status status) {
  switch (status) {
    case OracleFinding::Status::caught:
      return "caught";
    case OracleFinding::Status::passed:
      return "passed";
    case OracleFinding::Status::inapplicable:
      return "inapplicable";
  }
  return "passed";
}

// Somebody who climbs: a mutant, or the honest result. Stands still once a case has failed.
class Climber {
 public:
  Climber(const OpSpec& spec, const CompiledVersion& version, const ReferenceLibrary& reference,
          const Tensor* output, const Mutant* mutant)
      : executor_(spec, reference, output, mutant),
        runner_(spec, version, reference, executor_, k_ample) {}

  void try_case(const Rung& rung, const CasePlan& plan, CaseData& data) {
    if (!rung_.empty()) return;
    executor_.begin(data);
    const CaseVerdict verdict = runner_.run(plan, data);
    ++cases_;
    if (verdict.status == Verdict::passed) return;
    rung_ = rung.name;
    reason_ = fmt::format("{}: {}", verdict.name, failure_text(verdict));
  }

  [[nodiscard]] const std::string& rung() const noexcept { return rung_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  // Whether any case saw another result than the right one.
  [[nodiscard]] bool differed() const noexcept { return executor_.differed(); }
  [[nodiscard]] std::size_t cases() const noexcept { return cases_; }

 private:
  MutantExecutor executor_;
  CaseRunner runner_;
  std::string rung_;  // that failed; empty: none so far
  std::string reason_;
  std::size_t cases_ = 0;
};

// All of them climb at once, on the same data: the reference is called once per case.
class Climb {
 public:
  Climb(const OpSpec& spec, const ReferenceLibrary& reference)
      : spec_(spec), reference_(reference), version_(version_of_reference(spec)) {}

  Climber& add(const Tensor* output, const Mutant* mutant) {
    return climbers_.emplace_back(spec_, version_, reference_, output, mutant);
  }

  void run() {
    SeedSource seeds;
    const RungContext context{spec_, "cpu", seeds, reference_};
    for (const Rung& rung : ladder()) {
      if (rung.cases == nullptr || rung.on_request) continue;
      const std::vector<CasePlan> plans = rung.cases(context);
      CaseQueue queue(spec_, reference_, {plans}, false);
      std::unique_ptr<CaseData> data;
      for (const CasePlan& plan : plans) {
        data = queue.take(std::move(data));
        for (Climber& climber : climbers_) climber.try_case(rung, plan, *data);
      }
    }
  }

 private:
  const OpSpec& spec_;
  const ReferenceLibrary& reference_;
  CompiledVersion version_;
  std::deque<Climber> climbers_;  // keeps them where they are
};

// What to do about a mutant that passes. Limits of the spec are to blame when the derived ones
// would have caught it.
std::string advice(const OpSpec& spec, const ReferenceLibrary& reference, const Tensor& output,
                   const Mutant& mutant) {
  if (spec.tolerance.limits.empty()) return mutant.advice;
  OpSpec derived = spec;
  derived.tolerance.limits.clear();
  Climb climb(derived, reference);
  const Climber& climber = climb.add(derived.find_tensor(output.name), &mutant);
  climb.run();
  if (climber.rung().empty()) return mutant.advice;
  std::string limits;
  for (const auto& [metric, limit] : spec.tolerance.limits) {
    limits += fmt::format("{}{} {:g}", limits.empty() ? "" : ", ", metric, limit);
  }
  return fmt::format(
      "the spec's tolerance ({}) is too wide: the derived limits catch it in rung {}", limits,
      climber.rung());
}

std::string table_of(const OracleResult& result) {
  std::string table;
  for (const OracleFinding& finding : result.findings) {
    table += fmt::format("  {:<28} {:<13}", fmt::format("{}({})", finding.mutant, finding.output),
                         name_of(finding.status));
    table += finding.rung.empty() ? finding.reason
                                  : fmt::format("in {}: {}", finding.rung, finding.reason);
    table += '\n';
  }
  return table;
}

Json json_of(const OpSpec& spec, const OracleResult& result) {
  Json mutants = Json::array();
  for (const OracleFinding& finding : result.findings) {
    mutants.push_back({{"mutant", finding.mutant},
                       {"output", finding.output},
                       {"what", finding.what},
                       {"status", name_of(finding.status)},
                       {"rung", finding.rung},
                       {"reason", finding.reason}});
  }
  return {{"schema_version", 1},
          {"op", spec.name},
          {"status", result.passed ? "passed" : "failed"},
          {"rules", k_verification_rules},
          {"summary", result.summary},
          {"honest", {{"passed", result.honest.empty()}, {"reason", result.honest}}},
          {"mutants", mutants}};
}

std::string summary_of(const OpSpec& spec, const OracleResult& result, std::size_t cases) {
  if (!result.honest.empty()) {
    return fmt::format("{}: the reference's own result, rounded, fails {}", spec.name,
                       result.honest);
  }
  const auto with = [&](OracleFinding::Status status) {
    return std::count_if(result.findings.begin(), result.findings.end(),
                         [&](const OracleFinding& finding) { return finding.status == status; });
  };
  if (result.passed) {
    return fmt::format(
        "{}: {} wrong results fail, {} cannot be made; the right one passes {} cases", spec.name,
        with(OracleFinding::Status::caught), with(OracleFinding::Status::inapplicable), cases);
  }
  const auto first = std::find_if(
      result.findings.begin(), result.findings.end(),
      [](const OracleFinding& one) { return one.status == OracleFinding::Status::passed; });
  return fmt::format("{}: {} of {} wrong results pass every rung, first {} of output '{}' ({}): {}",
                     spec.name, with(OracleFinding::Status::passed), result.findings.size(),
                     first->mutant, first->output, first->what, first->reason);
}

}  // namespace

OracleResult run_oracle(const OracleOptions& options) {
  check_rules(options.rules);
  const OpSpec spec = load_op_spec(options.spec);
  const ReferenceLibrary reference(options.reference, options.reference_timeout);

  struct Contestant {
    const Tensor* output;
    Mutant mutant;
    const Climber* climber;  // null: the mutant cannot be made
  };
  std::deque<Contestant> contestants;
  Climb climb(spec, reference);
  const Climber& honest = climb.add(nullptr, nullptr);
  for (const Tensor& output : spec.outputs) {
    for (Mutant& mutant : mutants_of(spec, output)) {
      Contestant& one = contestants.emplace_back(Contestant{&output, std::move(mutant), nullptr});
      if (one.mutant.inapplicable.empty()) one.climber = &climb.add(&output, &one.mutant);
    }
  }
  climb.run();

  OracleResult result;
  result.passed = honest.rung().empty();
  if (!result.passed) result.honest = fmt::format("rung {}: {}", honest.rung(), honest.reason());
  for (const Contestant& one : contestants) {
    OracleFinding& finding = result.findings.emplace_back();
    finding.mutant = one.mutant.name;
    finding.output = one.output->name;
    finding.what = one.mutant.what;
    if (one.climber == nullptr) {
      finding.status = OracleFinding::Status::inapplicable;
      finding.reason = one.mutant.inapplicable;
    } else if (!one.climber->differed() && !one.mutant.harmless.empty()) {
      finding.status = OracleFinding::Status::inapplicable;
      finding.reason = fmt::format("it is the right result in all {} cases: {}",
                                   one.climber->cases(), one.mutant.harmless);
    } else if (one.climber->rung().empty()) {
      finding.status = OracleFinding::Status::passed;
      finding.reason = advice(spec, reference, *one.output, one.mutant);
      result.passed = false;
    } else {
      finding.rung = one.climber->rung();
      finding.reason = one.climber->reason();
    }
  }
  result.summary = summary_of(spec, result, honest.cases());
  result.table = table_of(result);
  result.json = json_of(spec, result);
  return result;
}

}  // namespace kernelloop
