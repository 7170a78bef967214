#include "propose/inner_loop.hpp"

#include "propose/extract.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <optional>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

// The turn's request: the stored one when its answer is there or on its way, else `fresh`.
PendingRequest settled_request(const Journal& journal, int turn, PendingRequest fresh) {
  journal.wait_for_courier(turn);
  if (const std::optional<Reply> reply = journal.reply(turn); reply && reply->failure) {
    journal.record_failure(turn, "an earlier build got no answer");
  }
  const std::optional<PendingRequest> stored = journal.request(turn);
  if (stored && (journal.reply(turn) || journal.has_unread_body(turn))) return *stored;
  journal.note_lost_courier(turn);
  journal.keep_request(turn, fresh);
  return fresh;
}

Reply ask(const InnerLoop& loop, const PendingRequest& pending) {
  const int turn = pending.request.turn;
  if (const std::optional<Reply> reply = loop.journal->reply(turn)) return *reply;
  Reply reply = loop.provider->ask(pending.request);
  if (reply.answer) {
    loop.journal->keep_reply(turn, reply);
  } else {
    loop.journal->record_failure(turn, reply.failure->message);
  }
  return reply;
}

CompileOutcome compile(const InnerLoop& loop, int turn, const std::string& source) {
  const fs::path scratch = loop.journal->directory() / fmt::format("turn{:03}", turn);
  write_file_atomic(scratch / "kernel.cu", source);
  return loop.compiler->compile(scratch / "kernel.cu", scratch / "out");
}

std::string no_source_text(const InnerLoop& loop, const std::string& why) {
  return fmt::format(
      "// No source could be taken from the answers for {} {} ({}).\n"
      "// What was asked and answered stands beside this file, in conversation.json.\n"
      "#error \"no kernel was proposed: {}\"\n",
      loop.op, version_name(loop.version), why, why);
}

// Reads one answer: sets the source, or says what is wrong. Returns the follow-up question, empty
// when there is none to ask.
std::string digest(const InnerLoop& loop, TurnRecord& turn, Proposal& proposal) {
  const Extraction extraction = extract_source(turn.answer.text, turn.answer.stop_reason);
  if (extraction.problem != Extraction::Problem::none) {
    turn.status = name_of(extraction.problem);
    proposal.note = turn.status + ": " + extraction.detail;
    turn.problems.push_back({{"kind", "answer"},
                             {"severity", "error"},
                             {"message", extraction.detail},
                             {"line", 0},
                             {"column", 0},
                             {"source_line", ""}});
    return answer_feedback(extraction, *loop.templates);
  }
  proposal.source = extraction.source;
  proposal.summary = extraction.summary;
  CompileOutcome outcome = compile(loop, turn.request.turn, extraction.source);
  turn.status = outcome.compiled ? "compiled" : "compile_failed";
  turn.problems = std::move(outcome.problems);
  proposal.note = outcome.compiled ? "" : "does not compile";
  return outcome.compiled ? std::string() : compile_feedback(turn.problems, *loop.templates);
}

}  // namespace

Proposal run_inner_loop(const InnerLoop& loop, const Prompt& prompt) {
  Proposal proposal;
  PendingRequest next;
  next.provider = loop.provider_name;
  next.mode = prompt.mode;
  next.parent = prompt.parent;
  next.request.op = loop.op;
  next.request.version = loop.version;
  next.request.model = loop.model;
  next.request.max_output_tokens = loop.max_output_tokens;
  next.request.system = prompt.system;
  next.request.turns = {{Turn::Role::user, prompt.user}};

  for (int turn = 1;; ++turn) {
    next.request.turn = turn;
    PendingRequest pending = settled_request(*loop.journal, turn, next);
    loop.check_text(pending.request.system + pending.request.turns.back().text);
    const Reply reply = ask(loop, pending);
    proposal.requests += reply.requests;
    if (reply.failure) {
      if (reply.failure->kind != Failure::Kind::exhausted) {
        fail(ExitCode::provider, "{} {}: {} gives no answer: {}", loop.op,
             version_name(loop.version), pending.provider, reply.failure->message);
      }
      if (turn == 1) {
        proposal.exhausted = reply.failure->message;
        return proposal;
      }
      proposal.note += "; " + reply.failure->message;
      break;
    }
    loop.check_text(reply.answer->text);
    TurnRecord record{pending.request, *reply.answer, {}, Json::array()};
    proposal.provider = pending.provider;
    proposal.model = reply.answer->model;
    proposal.mode = pending.mode;
    proposal.parent = pending.parent;
    proposal.input_tokens += reply.answer->usage.input.value_or(0);
    proposal.output_tokens += reply.answer->usage.output.value_or(0);
    const std::string follow_up = digest(loop, record, proposal);
    proposal.turns.push_back(record);
    // The same question again would get the same refusal.
    if (follow_up.empty() || record.status == "refusal") break;
    if (loop.turn_limit > 0 && turn >= loop.turn_limit) break;

    next = pending;
    next.provider = loop.provider_name;
    next.request.model = loop.model;
    next.request.turns.push_back({Turn::Role::assistant, reply.answer->text});
    next.request.turns.push_back({Turn::Role::user, follow_up});
  }
  if (proposal.source.empty()) proposal.source = no_source_text(loop, proposal.turns.back().status);
  return proposal;
}

}  // namespace kernelloop
