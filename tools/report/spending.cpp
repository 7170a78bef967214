#include "report/spending.hpp"

#include "support/json_members.hpp"

#include "cost/cost_report.hpp"

#include <utility>

namespace kernelloop {

ReportCost spending_of(const OpConfig& config, const std::vector<ReportVersion>& versions) {
  ReportCost cost;
  const Json total = member(cost_json(Ledger(config.generated_dir).entries(), config.op), "total");
  if (count_member(total, "requests").value_or(0) > 0) {
    cost.source = "ledger";
    cost.requests = count_member(total, "requests");
    cost.input_tokens = count_member(total, "input_tokens");
    cost.output_tokens = count_member(total, "output_tokens");
    cost.usd = number_member(total, "usd");
    cost.unknown_cost = count_member(total, "requests_of_unknown_cost").value_or(0);
    return cost;
  }
  cost.source = "unknown";
  for (const ReportVersion& one : versions) {
    if (!one.cost_usd) ++cost.unknown_cost;
    if (!one.input_tokens || !one.output_tokens) continue;
    cost.source = "origins";
    cost.input_tokens = cost.input_tokens.value_or(0) + *one.input_tokens;
    cost.output_tokens = cost.output_tokens.value_or(0) + *one.output_tokens;
    if (one.cost_usd) cost.usd = cost.usd.value_or(0.0) + *one.cost_usd;
  }
  return cost;
}

}  // namespace kernelloop
