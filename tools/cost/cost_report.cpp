#include "cost/cost_report.hpp"

#include <fmt/format.h>

#include "cost/prices.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace kernelloop {
namespace {

struct Sums {
  std::int64_t requests = 0;
  std::int64_t failed = 0;   // brought no answer
  std::int64_t unknown = 0;  // cost unknown
  std::int64_t input = 0;
  std::int64_t cached = 0;
  std::int64_t output = 0;
  std::int64_t nano_usd = 0;

  void add(const LedgerEntry& entry) {
    ++requests;
    failed += entry.outcome == "answered" ? 0 : 1;
    input += entry.usage.input.value_or(0);
    cached += entry.usage.cached_input.value_or(0);
    output += entry.usage.output.value_or(0);
    const auto cost = entry.charged ? entry.nano_usd : std::optional<std::int64_t>(0);
    nano_usd += cost.value_or(0);
    unknown += cost ? 0 : 1;
  }
};

using Key = std::tuple<std::string, std::string, std::string>;  // op, provider, model

std::map<Key, Sums> groups_of(const std::vector<LedgerEntry>& entries, const std::string& op) {
  std::map<Key, Sums> groups;
  for (const LedgerEntry& entry : entries) {
    if (!op.empty() && entry.op != op) continue;
    groups[{entry.op, entry.provider, entry.model}].add(entry);
  }
  return groups;
}

Sums total_of(const std::vector<LedgerEntry>& entries, const std::string& op) {
  Sums total;
  for (const LedgerEntry& entry : entries) {
    if (op.empty() || entry.op == op) total.add(entry);
  }
  return total;
}

std::string cost_text(const Sums& sums) {
  if (sums.unknown == 0) return money_text(sums.nano_usd);
  const std::string rest = fmt::format("{} unknown", sums.unknown);
  return sums.unknown == sums.requests ? "unknown" : money_text(sums.nano_usd) + " + " + rest;
}

Json json_of(const Sums& sums) {
  return {{"requests", sums.requests},
          {"failed", sums.failed},
          {"input_tokens", sums.input},
          {"cached_input_tokens", sums.cached},
          {"output_tokens", sums.output},
          {"usd", static_cast<double>(sums.nano_usd) / 1e9},
          {"requests_of_unknown_cost", sums.unknown}};
}

}  // namespace

std::string cost_table(const std::vector<LedgerEntry>& entries, const std::string& op) {
  const std::map<Key, Sums> groups = groups_of(entries, op);
  if (groups.empty()) {
    return fmt::format("nothing was asked{} yet\n", op.empty() ? "" : " for " + op);
  }
  std::size_t op_width = 5;
  std::size_t model_width = 5;
  for (const auto& [key, sums] : groups) {
    op_width = std::max(op_width, std::get<0>(key).size());
    model_width = std::max(model_width, std::get<1>(key).size() + std::get<2>(key).size() + 1);
  }
  std::string text =
      fmt::format("{:<{}}  {:<{}}  {:>8}  {:>6}  {:>10}  {:>10}  {:>10}  {}\n", "op", op_width,
                  "model", model_width, "requests", "failed", "input", "cached", "output", "cost");
  const auto line = [&](const std::string& name, const std::string& model, const Sums& sums) {
    text += fmt::format("{:<{}}  {:<{}}  {:>8}  {:>6}  {:>10}  {:>10}  {:>10}  {}\n", name,
                        op_width, model, model_width, sums.requests, sums.failed, sums.input,
                        sums.cached, sums.output, cost_text(sums));
  };
  for (const auto& [key, sums] : groups) {
    line(std::get<0>(key), std::get<1>(key) + " " + std::get<2>(key), sums);
  }
  if (groups.size() > 1) line("total", "", total_of(entries, op));
  return text;
}

Json cost_json(const std::vector<LedgerEntry>& entries, const std::string& op) {
  Json rows = Json::array();
  for (const auto& [key, sums] : groups_of(entries, op)) {
    Json row = {
        {"op", std::get<0>(key)}, {"provider", std::get<1>(key)}, {"model", std::get<2>(key)}};
    row.update(json_of(sums));
    rows.push_back(std::move(row));
  }
  return {{"schema_version", 1}, {"rows", rows}, {"total", json_of(total_of(entries, op))}};
}

}  // namespace kernelloop
