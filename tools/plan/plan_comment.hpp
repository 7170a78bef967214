// Finds the launch plan's JSON in a source text.
#pragma once

#include "plan/launch_plan.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace kernelloop {

struct PlanComment {
  std::string json;            // empty when there are problems
  std::size_t first_line = 1;  // of `json` in the source
  std::vector<PlanProblem> problems;
};

// The comment (a block comment, or a docstring of Python) must be the first thing in the source
// besides blank lines, the only one of its kind and closed behind its JSON object.
PlanComment find_plan_comment(const std::string& source, PlanForm form = PlanForm::cuda);

}  // namespace kernelloop
