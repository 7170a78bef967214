#include "support/random.hpp"
#include "verify/reference_library.hpp"
#include "verify/rung.hpp"

#include <fmt/format.h>

namespace kernelloop {
namespace {

constexpr const char* k_nothing_exact =
    "small integers give results that the output's type cannot hold exactly, as the reference "
    "shows or the spec says; there is nothing to compare bit for bit";

}  // namespace

const std::vector<Rung>& ladder() {
  static const std::vector<Rung> k_ladder{
      {"build", "", nullptr},
      {"smoke", "", smoke_cases},
      {"shapes", "", shapes_cases},
      {"values", "no input takes values of another family", values_cases},
      {"exact", k_nothing_exact, exact_cases},
      {"memory", "", memory_cases},
      {"determinism", "", determinism_cases},
      {"workload", "the spec has no workload for this device", workload_cases},
      {"holdout", "the spec names no hold-out shapes", holdout_cases},
      {"huge", "the spec names no huge shapes, or the device is emulated", huge_cases, true},
      {"sanitizer",
       "compute-sanitizer watches GPUs; on the CPU device AddressSanitizer and "
       "UndefinedBehaviorSanitizer watch every run",
       sanitizer_cases, true},
  };
  return k_ladder;
}

std::vector<CaseRun> standard_runs(const RungContext& context, int schedules, std::uint64_t seed) {
  std::vector<CaseRun> runs{{Poison(), 0}, {Poison::noise(seed), 0}};
  if (context.device != "cpu") return runs;
  const RandomStream stream(seed, "schedules");
  for (int number = 0; number < schedules; ++number) {
    const std::uint64_t schedule = stream.bits(static_cast<std::uint64_t>(number)) | 1u;
    runs.push_back({number % 2 == 0 ? Poison::noise(schedule) : Poison(), schedule});
  }
  return runs;
}

CasePlan shape_case(const RungContext& context, const Bindings& variables, int schedules) {
  CasePlan plan;
  plan.name = shape_text(context.spec, variables);
  plan.variables = variables;
  plan.seed = context.seeds.next();
  plan.runs = standard_runs(context, schedules, plan.seed);
  return plan;
}

}  // namespace kernelloop
