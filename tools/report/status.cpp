#include "report/status.hpp"

#include "loop/evidence.hpp"
#include "loop/steering.hpp"
#include "propose/journal.hpp"
#include "report/columns.hpp"
#include "report/table.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"
#include "support/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cost/ledger.hpp"
#include "cost/prices.hpp"
#include "languages/version_source.hpp"

#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

bool is_locked(const fs::path& lock) {
  return fs::exists(lock) && !FileLock(lock, FileLock::Wait::try_once).held();
}

// The file that somebody is to write.
std::string awaited_source(const Journal& journal) {
  const std::optional<PendingRequest> asked = journal.request(1);
  return asked ? language_named(asked->language).source : cuda_language().source;
}

// A version that no proposed.json tells of yet.
void describe_proposal(const OpConfig& config, int version, OpStatus& status) {
  const Journal journal(config.generated_dir / config.op, version);
  int turns = 0;
  while (fs::exists(journal.file(turns + 1, "request.json"))) ++turns;
  if (is_locked(journal.version_lock())) {
    status.state = LoopState::asking;
    if (turns > 0) status.detail = fmt::format("turn {}", turns);
  } else if (fs::exists(journal.directory() / "prompt.md")) {
    status.state = LoopState::waiting;
    status.detail = (journal.directory() / awaited_source(journal)).string();
  } else {
    status.state = LoopState::propose;
  }
}

// The first thing of version `version` that is not there; false when all is.
bool is_incomplete(const OpConfig& config, int version, OpStatus& status) {
  constexpr std::array<std::pair<const char*, LoopState>, 3> k_steps{
      {{"compile.json", LoopState::compile},
       {"verify.json", LoopState::verify},
       {"bench.json", LoopState::bench}}};
  const fs::path directory = config.step_dir(version);
  status.version = version_name(version);
  if (!fs::exists(directory / "proposed.json")) {
    describe_proposal(config, version, status);
    return true;
  }
  for (const auto& [file, state] : k_steps) {
    if (fs::exists(directory / file)) continue;
    status.state = state;
    return true;
  }
  return false;
}

// Walks the rounds up to the first that is not complete, or that says stop.
void walk_rounds(const OpConfig& config, const Steering& steering, OpStatus& status,
                 std::optional<History>& latest) {
  for (int round = 1; round <= config.rounds(); ++round) {
    for (int v = config.first_of_round(round); v <= config.last_of_round(round); ++v) {
      if (is_incomplete(config, v, status)) return;
    }
    const fs::path file = config.history_dir(round) / "history.json";
    if (!fs::exists(file)) {
      status.version = version_name(config.last_of_round(round));
      status.state = LoopState::learn;
      return;
    }
    latest = steered(history_from_json(read_json(file)), steering, config);
    if (latest->decision.action == Decision::Action::stop) {
      status.state = LoopState::stopped;
      status.version.clear();
      status.detail = latest->decision.reason;
      return;
    }
  }
  status.state = LoopState::finished;
  status.version.clear();
  if (latest) status.detail = stop_reason(*latest, config.rounds());
}

void add_results(const History& history, OpStatus& status) {
  status.device_kind = history.device_kind;
  status.device_name = history.device_name;
  bool known = true;
  double cost = 0.0;
  for (const VersionRecord& record : history.versions) {
    if (record.outcome == Outcome::verified) ++status.verified;
    status.tokens += record.input_tokens + record.output_tokens;
    known = known && record.cost_usd.has_value();
    cost += record.cost_usd.value_or(0.0);
  }
  status.cost_usd = known ? std::optional<double>(cost) : std::nullopt;
  if (const VersionRecord* best = history.best()) {
    status.best = best->version;
    status.best_us = best->time_us;
    status.best_sol = best->sol;
  }
}

void add_spending(const OpConfig& config, OpStatus& status) {
  const Spend spend = sum(Ledger(config.generated_dir).entries(),
                          [&](const LedgerEntry& entry) { return entry.op == config.op; });
  if (spend.requests == 0) return;
  status.tokens = spend.tokens;
  status.cost_usd = spend.unknown > 0
                        ? std::nullopt
                        : std::optional<double>(static_cast<double>(spend.nano_usd) / 1e9);
}

std::string adopted_versions(const OpConfig& config) {
  const Json adopted = read_json_if_there(config.adopted_file());
  const Json& architectures = member(adopted, "architectures");
  std::set<std::string> names;
  if (architectures.is_object()) {
    for (const Json& one : architectures) names.insert(text_member(one, "version"));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

const char* name_of(LoopState state) {
  switch (state) {
    case LoopState::asking:
      return "asking";
    case LoopState::waiting:
      return "waiting";
    case LoopState::propose:
      return "propose";
    case LoopState::compile:
      return "compile";
    case LoopState::verify:
      return "verify";
    case LoopState::bench:
      return "bench";
    case LoopState::learn:
      return "learn";
    case LoopState::stopped:
      return "stopped";
    case LoopState::finished:
      return "finished";
  }
  return "";
}

OpStatus status_of(const OpConfig& config) {
  OpStatus status;
  status.op = config.op;
  status.device_kind = config.device;
  status.most_versions = config.versions;
  while (fs::exists(version_source(config.version_dir(status.versions + 1)))) ++status.versions;
  std::optional<History> latest;
  walk_rounds(config, load_steering(config), status, latest);
  if (latest) add_results(*latest, status);
  add_spending(config, status);
  status.adopted = adopted_versions(config);
  return status;
}

Json to_json(const OpStatus& status) {
  return {{"op", status.op},
          {"device", {{"kind", status.device_kind}, {"name", status.device_name}}},
          {"versions", status.versions},
          {"most_versions", status.most_versions},
          {"verified", status.verified},
          {"state", name_of(status.state)},
          {"version", status.version},
          {"detail", status.detail},
          {"best", status.best.empty() ? Json() : Json(status.best)},
          {"best_us", number_or_null(status.best_us)},
          {"best_sol", number_or_null(status.best_sol)},
          {"adopted", status.adopted},
          {"tokens", status.tokens},
          {"cost_usd", number_or_null(status.cost_usd)}};
}

std::string state_text(const OpStatus& status) {
  if (status.is_over()) return fmt::format("{}: {}", name_of(status.state), status.detail);
  if (status.state == LoopState::waiting) {
    return fmt::format("{} waits for {}", status.version, status.detail);
  }
  return fmt::format("{} {}{}", status.version, name_of(status.state),
                     status.detail.empty() ? "" : " (" + status.detail + ")");
}

std::string best_text(const OpStatus& status) {
  if (!status.best_us) return "-";
  std::string text = duration_text(*status.best_us);
  if (status.device_kind == "cpu") return text + " wall, CPU device";
  if (status.best_sol) text += fmt::format(", {:.0f} % SOL", 100 * *status.best_sol);
  return text;
}

std::string cost_text(const OpStatus& status) {
  if (status.cost_usd) {
    return *status.cost_usd > 0 ? money_text(std::llround(*status.cost_usd * 1e9)) : "-";
  }
  if (status.tokens == 0) return "-";
  return fmt::format("{:.0f}k tokens, cost unknown", static_cast<double>(status.tokens) / 1e3);
}

std::string status_table(const std::vector<OpStatus>& all) {
  std::vector<std::vector<std::string>> rows{
      {"op", "versions", "best", "time", "adopted", "cost", "state"}};
  for (const OpStatus& one : all) {
    rows.push_back({one.op, fmt::format("{}/{}", one.versions, one.most_versions),
                    one.best.empty() ? "-" : one.best, best_text(one),
                    one.adopted.empty() ? "-" : one.adopted, cost_text(one), state_text(one)});
  }
  return in_columns(rows);
}

}  // namespace kernelloop
