#include "propose/publish.hpp"

#include "propose/prompt.hpp"
#include "propose/provider_choice.hpp"
#include "propose/secrets.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/version.hpp"

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

Json parent_of(const Proposal& proposal) {
  return proposal.parent.empty() ? Json(nullptr) : Json(proposal.parent);
}

}  // namespace

Json origin_of(const OpConfig& config, int version, const Proposal& proposal,
               const std::string& created, const Spend& spend) {
  // A configuration of an earlier version was asked for by no prompt.
  Json prompt_sha256;
  if (!proposal.turns.empty()) {
    const AskRequest& first = proposal.turns.front().request;
    prompt_sha256 = sha256(first.system + "\n" + first.turns.front().text);
  }
  // What costs nothing is known to cost nothing; an unknown price makes an unknown sum.
  Json cost = 0.0;
  if (is_paid(proposal.provider)) {
    const bool known = spend.requests > 0 && spend.unknown == 0;
    cost = known ? Json(static_cast<double>(spend.nano_usd) / 1e9) : Json(nullptr);
  }
  return {
      {"schema_version", 1},
      {"op", config.op},
      {"version", version_name(version)},
      {"provider", proposal.provider},
      {"model", proposal.model},
      {"mode", proposal.mode},
      {"parent", parent_of(proposal)},
      {"language", proposal.language->name},
      {"created", created},
      {"source_sha256", sha256(proposal.source)},
      {"prompt_sha256", std::move(prompt_sha256)},
      {"summary", proposal.summary},
      {"turns", proposal.turns.size()},
      {"tokens", {{"input", proposal.input_tokens}, {"output", proposal.output_tokens}}},
      {"requests", proposal.requests},
      {"cost_usd", cost},
      {"duplicate_of", proposal.duplicate_of.empty() ? Json(nullptr) : Json(proposal.duplicate_of)},
      {"prompt_schema", k_prompt_schema},
      {"prompt", proposal.prompt},
      {"note", proposal.note}};
}

Json conversation_of(const OpConfig& config, int version, const Proposal& proposal) {
  Json turns = Json::array();
  for (const TurnRecord& turn : proposal.turns) {
    const Turn& question = turn.request.turns.back();
    Json request = {{"system", turns.empty() ? turn.request.system : std::string()},
                    {"prompt", question.text}};
    if (turns.empty() && !turn.request.tools.empty()) {
      request["tools"] = to_json(turn.request.tools);
    }
    if (!question.tool_results.empty()) {
      request["tool_results"] = to_json(question.tool_results);
    }
    Json reply = {{"text", turn.answer.text},
                  {"stop_reason", turn.answer.stop_reason},
                  {"usage", to_json(turn.answer.usage)}};
    if (!turn.answer.note.empty()) reply["note"] = turn.answer.note;
    if (!turn.answer.tool_calls.empty()) {
      reply["tool_calls"] = to_json(turn.answer.tool_calls);
    }
    if (!turn.answer.echo_items.is_null()) reply["echo_items"] = turn.answer.echo_items;
    turns.push_back({{"request", std::move(request)},
                     {"reply", std::move(reply)},
                     {"outcome", {{"status", turn.status}, {"problems", turn.problems}}}});
  }
  return {{"schema_version", 1},
          {"op", config.op},
          {"version", version_name(version)},
          {"provider", proposal.provider},
          {"model", proposal.model},
          {"mode", proposal.mode},
          {"parent", parent_of(proposal)},
          {"turns", turns}};
}

void publish_proposal(const OpConfig& config, int version, const Proposal& proposal,
                      const Journal& journal, const std::vector<LiveSecret>& secrets) {
  const Spend spend = sum(Ledger(config.generated_dir).entries(), [&](const LedgerEntry& entry) {
    return entry.op == config.op && entry.version == version;
  });
  const std::string origin = to_text(origin_of(config, version, proposal, utc_time(), spend));
  const std::string conversation = to_text(conversation_of(config, version, proposal));
  const std::string name = config.op + " " + version_name(version);
  refuse_secrets(conversation, secrets, "the recording of " + name);
  refuse_secrets(proposal.source, secrets, "the source of " + name);
  refuse_secrets(origin, secrets, "the origin of " + name);

  const fs::path staged = journal.directory() / "publish";
  fs::remove_all(staged);
  write_file_atomic(staged / proposal.language->source, proposal.source);
  write_file_atomic(staged / "origin.json", origin);
  write_file_atomic(staged / "conversation.json", conversation);
  publish_directory(staged, config.version_dir(version));
}

}  // namespace kernelloop
