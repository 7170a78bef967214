// The result that a CLI agent prints as JSON.
#pragma once

#include "cost/usage.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace kernelloop {

struct AgentResult {
  std::string text;
  bool is_error = false;  // said so, whatever the exit code
  Usage usage;            // where it is told: "usage", "total_cost_usd"
};

// From an output that is one JSON object, or JSON lines of which the last with a text at `pointer`
// ("/result") counts; other lines are ignored. Nothing when there is none.
std::optional<AgentResult> read_agent_result(std::string_view output, const std::string& pointer);

}  // namespace kernelloop
