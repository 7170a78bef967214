// The test ladder as a table: each rung is a name and a way to choose its cases. A new rung is one
// file with one function, and a line in rungs.cpp.
#pragma once

#include "device/worker_client.hpp"
#include "plan/launch_plan.hpp"
#include "spec/op_spec.hpp"
#include "verify/families.hpp"
#include "verify/reference_library.hpp"
#include "verify/seed_source.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kernelloop {

// One launch of a case.
struct CaseRun {
  Poison poison;
  std::uint64_t schedule_seed = 0;  // cpu: order of threads; 0 = in order
  Placement placement = Placement::margins;
};

// A case repeats along an axis until that has `whole` indices.
struct Repetition {
  std::string axis;
  std::int64_t whole = 0;
};

// One shape with its data, and how often it runs. The first run's outputs are judged; those of
// later runs with the same schedule and placement must be the same bits, unless the op declares
// that it is not deterministic; all others are judged too.
struct CasePlan {
  std::string name;
  Bindings variables;                     // every variable axis
  std::map<std::string, double> scalars;  // overrides
  FamilyChoice family;                    // of the inputs
  std::vector<CaseRun> runs;
  std::uint64_t seed = 0;
  bool hidden = false;
  bool same_bits_in_any_order = false;   // other schedules must give the first run's bits as well
  std::optional<SanitizerTool> tool;     // one run that this tool watches, in place of `runs`
  std::optional<Repetition> repetition;  // the first run only, at a larger shape made of this one
};

// What a rung chooses its cases from.
struct RungContext {
  const OpSpec& spec;
  std::string device;  // "cuda" | "cpu"
  SeedSource& seeds;
  const ReferenceLibrary& reference;
  const LaunchPlan* plan = nullptr;     // of the version; nullptr: nothing is known about it
  std::set<std::int64_t> numbers = {};  // of the version's kernels (CompiledVersion::numbers)
  // Where a rung says what it leaves out, for its verdict; nullptr: nobody asks.
  std::vector<std::string>* notes = nullptr;
};

struct Rung {
  const char* name;
  const char* without_cases;  // why there may be none
  std::vector<CasePlan> (*cases)(const RungContext&);
  bool on_request = false;  // climbed only when it is asked for by name, or by an option
};

// In the order in which they are climbed. "build" has no cases: compile.json answers it.
const std::vector<Rung>& ladder();

std::vector<CasePlan> smoke_cases(const RungContext& context);
std::vector<CasePlan> shapes_cases(const RungContext& context);
std::vector<CasePlan> values_cases(const RungContext& context);
std::vector<CasePlan> exact_cases(const RungContext& context);
std::vector<CasePlan> memory_cases(const RungContext& context);
std::vector<CasePlan> determinism_cases(const RungContext& context);
std::vector<CasePlan> workload_cases(const RungContext& context);
std::vector<CasePlan> holdout_cases(const RungContext& context);
std::vector<CasePlan> huge_cases(const RungContext& context);
std::vector<CasePlan> sanitizer_cases(const RungContext& context);

// Two poisons, NaN and noise drawn from `seed`, in order; on the CPU device also `schedules` random
// schedules, drawn from `seed`.
std::vector<CaseRun> standard_runs(const RungContext& context, int schedules, std::uint64_t seed);

// `shapes`, and for each launch of the plan that none of them selects a small shape that does,
// where there is one: a fault in a kernel that only wide rows reach is a fault. `search`: beyond
// the shapes that any plan is tried with (PlanShapes::selecting); what is found there may be large.
std::vector<Bindings> covering_all_launches(const RungContext& context,
                                            std::vector<Bindings> shapes, bool search);

// Adds to `shapes`, for each launch of the plan that none of them selects, the first of `others`
// that does.
void cover_launches_from(const RungContext& context, const std::vector<Bindings>& others,
                         std::vector<Bindings>& shapes);

// `shapes`, which are long and odd along one axis, and for each launch of the plan that none of
// them selects others near them, where there are any: launches for whole vectors take no odd row.
std::vector<Bindings> long_for_every_launch(const RungContext& context,
                                            std::vector<Bindings> shapes);

// For each launch of the plan that fewer than three of `shapes` select, but one at least: the same
// launch at other sizes (PlanShapes::beyond).
std::vector<Bindings> more_for_rare_launches(const RungContext& context,
                                             const std::vector<Bindings>& shapes);

// Where the blocks of a launch of the plan go round again (PlanShapes::where_blocks_go_round), as
// large as many runs allow.
std::vector<Bindings> shapes_of_more_rounds(const RungContext& context);

// A case of this shape with the standard runs and a seed of its own, named after the shape.
CasePlan shape_case(const RungContext& context, const Bindings& variables, int schedules);

}  // namespace kernelloop
