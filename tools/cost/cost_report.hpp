// What was spent, for people and for programs.
#pragma once

#include "cost/ledger.hpp"

#include <string>
#include <vector>

namespace kernelloop {

// One line per op, model and provider, and the sum; `op` empty: all of them. Requests whose cost is
// not known are counted beside the money, never as 0.
std::string cost_table(const std::vector<LedgerEntry>& entries, const std::string& op);

// The same as an object (docs/formats.md, "cost").
Json cost_json(const std::vector<LedgerEntry>& entries, const std::string& op);

}  // namespace kernelloop
