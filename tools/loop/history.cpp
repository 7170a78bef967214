#include "loop/history.hpp"

#include "support/error.hpp"
#include "support/json_members.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kernelloop {
namespace {

constexpr std::array<std::pair<Outcome, const char*>, 7> k_outcomes{{
    {Outcome::verified, "verified"},
    {Outcome::compile_failed, "compile_failed"},
    {Outcome::wrong, "wrong"},
    {Outcome::not_runnable, "not_runnable"},
    {Outcome::bench_failed, "bench_failed"},
    {Outcome::duplicate, "duplicate"},
    {Outcome::rejected, "rejected"},
}};

constexpr std::array<std::pair<Decision::Action, const char*>, 6> k_actions{{
    {Decision::Action::seed, "seed"},
    {Decision::Action::fix, "fix"},
    {Decision::Action::optimise, "optimise"},
    {Decision::Action::branch, "branch"},
    {Decision::Action::tune, "tune"},
    {Decision::Action::stop, "stop"},
}};

template <typename Table, typename Value>
const char* name_in(const Table& table, Value value) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& row) { return row.first == value; })
      ->second;
}

template <typename Table>
auto value_in(const Table& table, const std::string& name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return name == row.second; });
  if (found == table.end()) throw Error(ExitCode::bad_input, "unknown value \"" + name + "\"");
  return found->first;
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json to_json(const std::optional<Bottleneck>& bottleneck) {
  if (!bottleneck) return nullptr;
  return {
      {"kind", bottleneck->kind}, {"what", bottleneck->what}, {"evidence", bottleneck->evidence}};
}

std::optional<Bottleneck> bottleneck_from_json(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  return Bottleneck{json.at("kind"), json.at("what"), json.at("evidence")};
}

Json to_json(const VersionRecord& record) {
  return {{"version", record.version},
          {"round", record.round},
          {"mode", record.mode},
          {"parent", record.parent},
          {"status", name_of(record.outcome)},
          {"failure", record.failure},
          {"change", record.change},
          {"time_us", number_or_null(record.time_us)},
          {"sol", number_or_null(record.sol)},
          {"bottleneck", to_json(record.bottleneck)},
          {"configurations", record.configurations},
          {"provider", record.provider},
          {"model", record.model},
          {"tokens", {{"input", record.input_tokens}, {"output", record.output_tokens}}},
          {"requests", record.requests},
          {"cost_usd", number_or_null(record.cost_usd)}};
}

VersionRecord record_from_json(const Json& json) {
  VersionRecord record;
  record.version = json.at("version");
  record.round = json.at("round");
  record.mode = json.at("mode");
  record.parent = json.at("parent");
  record.outcome = value_in(k_outcomes, json.at("status"));
  record.failure = json.at("failure");
  record.change = json.at("change");
  record.time_us = time_member(json, "time_us");
  record.sol = number_member(json, "sol");
  record.bottleneck = bottleneck_from_json(member(json, "bottleneck"));
  record.configurations = json.at("configurations");
  record.provider = json.at("provider");
  record.model = json.at("model");
  record.input_tokens = json.at("tokens").at("input");
  record.output_tokens = json.at("tokens").at("output");
  record.requests = json.at("requests");
  record.cost_usd = number_member(json, "cost_usd");
  return record;
}

Json to_json(const BaselineRecord& record) {
  return {{"name", record.name},
          {"time_us", number_or_null(record.time_us)},
          {"failure", record.failure}};
}

// The fastest of those that have a time.
template <typename Record>
const Record* fastest(const std::vector<Record>& records) {
  const Record* found = nullptr;
  for (const Record& record : records) {
    if (!record.time_us) continue;
    if (found == nullptr || *record.time_us < *found->time_us) found = &record;
  }
  return found;
}

}  // namespace

const char* name_of(Outcome outcome) { return name_in(k_outcomes, outcome); }

const char* name_of(Decision::Action action) { return name_in(k_actions, action); }

const VersionRecord* History::best() const {
  const VersionRecord* fastest = nullptr;
  for (const VersionRecord& record : versions) {
    if (record.outcome != Outcome::verified || !record.time_us) continue;
    if (fastest == nullptr || *record.time_us < *fastest->time_us) fastest = &record;
  }
  return fastest;
}

const BaselineRecord* History::best_baseline() const { return fastest(baselines); }

const VersionRecord* History::find(const std::string& version) const {
  const auto found = std::find_if(versions.begin(), versions.end(),
                                  [&](const VersionRecord& r) { return r.version == version; });
  return found == versions.end() ? nullptr : &*found;
}

Json to_json(const History& history) {
  Json versions = Json::array();
  for (const VersionRecord& record : history.versions) versions.push_back(to_json(record));
  Json baselines = Json::array();
  for (const BaselineRecord& record : history.baselines) baselines.push_back(to_json(record));
  const VersionRecord* best = history.best();
  return {{"schema_version", 1},
          {"op", history.op},
          {"round", history.round},
          {"device", {{"kind", history.device_kind}, {"name", history.device_name}}},
          {"versions", versions},
          {"baselines", baselines},
          {"best", best != nullptr ? Json(best->version) : Json()},
          {"decision",
           {{"action", name_of(history.decision.action)},
            {"parent", history.decision.parent},
            {"reason", history.decision.reason}}}};
}

History history_from_json(const JsonDocument& document) {
  try {
    const Json& json = document.value;
    History history;
    history.op = json.at("op");
    history.round = json.at("round");
    history.device_kind = json.at("device").at("kind");
    history.device_name = json.at("device").at("name");
    for (const Json& version : json.at("versions")) {
      history.versions.push_back(record_from_json(version));
    }
    for (const Json& baseline : list_member(json, "baselines")) {
      history.baselines.push_back(
          {baseline.at("name"), time_member(baseline, "time_us"), baseline.at("failure")});
    }
    const Json& decision = json.at("decision");
    history.decision.action = value_in(k_actions, decision.at("action"));
    history.decision.parent = decision.at("parent");
    history.decision.reason = decision.at("reason");
    return history;
  } catch (const std::exception& error) {
    fail(ExitCode::bad_input,
         "{}: not a history of this KernelLoop ({}); delete it and build again",
         document.path.string(), error.what());
  }
}

}  // namespace kernelloop
