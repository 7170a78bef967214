// JSON -> LaunchPlan.
#pragma once

#include "plan/launch_plan.hpp"

namespace kernelloop {

// Validates the document against the schema and the spec. Never throws for what the document holds.
PlanResult read_plan(const JsonDocument& document, const OpSpec& spec,
                     PlanForm form = PlanForm::cuda);

// "path:line:column: text", as the support library writes it, as a problem.
PlanProblem problem_from_text(const std::string& text, const std::filesystem::path& path);

}  // namespace kernelloop
