#include "propose/meter.hpp"

#include "propose/journal.hpp"

#include <fmt/format.h>

#include <random>
#include <utility>

namespace kernelloop {
namespace {

std::string random_id() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}", source(), source());
}

std::string today() { return utc_time().substr(0, 10); }

// Nothing is owed for what a server refused or never saw.
bool is_charged(const Reply& reply, bool sent) {
  if (reply.answer) return true;
  const Failure& failure = *reply.failure;
  if (failure.usage.input || failure.usage.output) return true;
  return sent && failure.http_status < 300;
}

}  // namespace

Json to_json(const Account& account) {
  return {{"generated_dir", account.generated_dir.string()},
          {"run", account.run},
          {"op_budget", to_json(account.op_budget)},
          {"run_budget", to_json(account.run_budget)}};
}

Account account_from_json(const JsonDocument& document, const std::string& pointer) {
  const Json& json = document.value.at(Json::json_pointer(pointer));
  return {json.at("generated_dir").get<std::string>(), json.at("run").get<std::string>(),
          budget_from_json(document, pointer + "/op_budget"),
          budget_from_json(document, pointer + "/run_budget")};
}

std::int64_t estimated_tokens(std::size_t prompt_bytes) {
  return static_cast<std::int64_t>(prompt_bytes / 3 + 1);
}

Meter::Meter(Account account, std::string provider, const std::filesystem::path& own_prices)
    : account_(std::move(account)),
      provider_(std::move(provider)),
      prices_(own_prices),
      ledger_(account_.generated_dir) {}

std::string Meter::open(const AskRequest& request, std::size_t prompt_bytes) {
  entry_ = {};
  entry_.id = random_id();
  entry_.time = utc_time();
  entry_.run = account_.run;
  entry_.op = request.op;
  entry_.version = request.version;
  entry_.turn = request.turn;
  entry_.provider = provider_;
  entry_.model = request.model;
  const std::int64_t input = estimated_tokens(prompt_bytes);
  entry_.most_tokens = input + request.max_output_tokens;
  entry_.most_nano_usd = prices_.at_most(request.model, input, request.max_output_tokens, today());
  const NextRequest next{entry_.model, entry_.most_tokens, entry_.most_nano_usd};
  return ledger_.open(entry_, [&](const std::vector<LedgerEntry>& entries) {
    const Spend op = sum(entries, [&](const LedgerEntry& each) { return each.op == entry_.op; });
    std::string reason = reason_against(account_.op_budget, op, next, entry_.op);
    if (!reason.empty()) return reason;
    const Spend run =
        sum(entries, [&](const LedgerEntry& each) { return each.run == account_.run; });
    return reason_against(account_.run_budget, run, next, "this run");
  });
}

LedgerOutcome Meter::outcome_of(const Reply& reply, bool sent, const std::string& model) const {
  LedgerOutcome outcome;
  outcome.outcome = reply.answer ? "answered" : name_of(reply.failure->kind);
  outcome.usage = reply.answer ? reply.answer->usage : reply.failure->usage;
  outcome.charged = is_charged(reply, sent);
  if (!outcome.charged) return outcome;
  // The server's own name of the model is the more exact one, but not every server uses the
  // vendor's names.
  std::optional<Charge> cost;
  if (reply.answer) cost = prices_.cost_of(reply.answer->model, outcome.usage, today());
  if (!cost) cost = prices_.cost_of(model, outcome.usage, today());
  if (cost) {
    outcome.nano_usd = cost->nano_usd;
    outcome.price_source = cost->source;
  }
  return outcome;
}

void Meter::close(const Reply& reply, bool sent) {
  ledger_.close(entry_.id, outcome_of(reply, sent, entry_.model));
}

void Meter::close_lost(const std::string& id, const Reply& reply) {
  for (const LedgerEntry& entry : ledger_.entries()) {
    if (entry.id == id && !entry.done) ledger_.close(id, outcome_of(reply, true, entry.model));
  }
}

}  // namespace kernelloop
