// Configurations of a launch, where a language's compiler chooses block and shared memory: other
// values for `grid`, `constants` and `options` than the launch itself has. A version is compiled
// with the first of them; each further one becomes a version of its own (loop/tuning.hpp).
#pragma once

#include "plan/launch_plan.hpp"
#include "support/json.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace kernelloop {

// How many versions there are in a plan as it is written: the most configurations that one of its
// launches lists, at least 1. The plan keeps to compiled-plan.schema.json.
std::size_t count_configurations(const Json& plan);

// The plan with configuration `index`, from 0, in place of the lists; a launch with fewer keeps its
// last. `grid` takes the place of the launch's, `constants` and `options` that of those of the same
// name.
Json with_configuration(Json plan, std::size_t index);

// A source with one of the configurations of its plan.
struct ConfiguredSource {
  std::string source;  // the text with just that configuration in its plan, the rest as it is
  // What it sets, in words: "BLOCK 64, num_warps 8", the launches' one behind the other with "; "
  // between them.
  std::string chosen;
};

// Configuration `index`, from 0, of the plan in a source text. Nothing when no launch lists so
// many, or the text has no plan that extract_plan accepts, of PlanForm::compiled.
std::optional<ConfiguredSource> configured_source(const std::string& source, std::size_t index);

}  // namespace kernelloop
