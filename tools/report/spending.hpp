// What an operator's versions have cost.
#pragma once

#include "config/op_config.hpp"
#include "report/report.hpp"

#include <vector>

namespace kernelloop {

// From the ledger where this machine has it, as `kernelloop cost` counts; else the sum of what the
// versions' origins say, without requests that came to nothing.
ReportCost spending_of(const OpConfig& config, const std::vector<ReportVersion>& versions);

}  // namespace kernelloop
