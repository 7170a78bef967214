#include "propose/inner_loop.hpp"

#include "propose/extract.hpp"
#include "propose/shorten.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <algorithm>
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
  const fs::path file = scratch / loop.language->source;
  write_file_atomic(file, source);
  return loop.compiler->compile(file, scratch / "out");
}

std::string no_source_text(const InnerLoop& loop, const std::string& why) {
  if (!loop.language->is_cuda()) {
    return fmt::format(
        "# No source could be taken from the answers for {} {} ({}).\n"
        "# What was asked and answered stands beside this file, in conversation.json.\n",
        loop.op, version_name(loop.version), why);
  }
  return fmt::format(
      "// No source could be taken from the answers for {} {} ({}).\n"
      "// What was asked and answered stands beside this file, in conversation.json.\n"
      "#error \"no kernel was proposed: {}\"\n",
      loop.op, version_name(loop.version), why, why);
}

std::size_t bytes_read(const AskRequest& request) {
  std::size_t bytes = 0;
  for (const Turn& turn : request.turns) {
    for (const ToolResult& result : turn.tool_results) bytes += result.text.size();
  }
  return bytes;
}

// Whether the answer only asks to read, and may.
bool wants_to_read(const InnerLoop& loop, const Answer& answer, int rounds_read) {
  if (answer.stop_reason != "tools") return false;
  return answer.recorded_results || (loop.tools != nullptr && !loop.tools->is_spent(rounds_read));
}

// What the calls of an answer bring back: from a recording as it was then, else read now.
std::vector<ToolResult> read_for(const InnerLoop& loop, const AskRequest& request,
                                 const Answer& answer, int round) {
  if (answer.recorded_results) return *answer.recorded_results;
  if (loop.tools == nullptr) return {};
  return loop.tools->answer(answer.tool_calls, round, bytes_read(request));
}

// The next question: the conversation so far, the answer as it came, and what we say to it. Calls
// of a model that was given no tools are left out: nobody may answer them.
PendingRequest continued(const InnerLoop& loop, PendingRequest pending, const Answer& answer,
                         Turn ours) {
  Turn theirs{Turn::Role::assistant, answer.text};
  if (answer.tool_calls.empty() || !ours.tool_results.empty()) {
    theirs.tool_calls = answer.tool_calls;
    if (!answer.echo_items.is_null()) {
      theirs.echo = {pending.provider, pending.request.model, answer.echo_items};
    }
  }
  pending.request.turns.push_back(std::move(theirs));
  pending.request.turns.push_back(std::move(ours));
  pending.provider = loop.provider_name;
  pending.account = loop.account;
  pending.request.model = loop.model;
  return pending;
}

Json problem(const char* kind, const std::string& message) {
  return {{"kind", kind}, {"severity", "error"}, {"message", message},
          {"line", 0},    {"column", 0},         {"source_line", ""}};
}

bool was_told(const Proposal& proposal) {
  return std::any_of(proposal.turns.begin(), proposal.turns.end(),
                     [](const TurnRecord& turn) { return turn.status == "duplicate"; });
}

// Reads one answer: sets the source, or says what is wrong. Returns the follow-up question, empty
// when there is none to ask.
std::string digest(const InnerLoop& loop, TurnRecord& turn, Proposal& proposal) {
  const Extraction extraction =
      extract_source(turn.answer.text, turn.answer.stop_reason, *loop.language);
  if (extraction.problem != Extraction::Problem::none) {
    turn.status = name_of(extraction.problem);
    proposal.note = turn.status + ": " + extraction.detail;
    turn.problems.push_back(problem("answer", extraction.detail));
    return answer_feedback(extraction, *loop.templates, *loop.language);
  }
  proposal.source = extraction.source;
  proposal.summary = extraction.summary;
  proposal.duplicate_of = loop.twin_of ? loop.twin_of(extraction.source) : std::string();
  if (!proposal.duplicate_of.empty()) {
    turn.status = "duplicate";
    proposal.note = "the same as " + proposal.duplicate_of;
    turn.problems.push_back(problem("duplicate", proposal.note));
    if (was_told(proposal)) return {};
    return duplicate_feedback(proposal.duplicate_of, *loop.templates, *loop.language);
  }
  CompileOutcome outcome = compile(loop, turn.request.turn, extraction.source);
  turn.status = outcome.compiled ? "compiled" : "compile_failed";
  turn.problems = std::move(outcome.problems);
  proposal.note = outcome.compiled ? "" : "does not compile";
  return outcome.compiled ? std::string()
                          : compile_feedback(turn.problems, *loop.templates, *loop.language);
}

// The question again without what is least needed, where the conversation has become too long for
// the model. Nothing when that is not so, or there is nothing to leave out.
std::optional<PendingRequest> shortened_after(const Reply& reply, PendingRequest pending) {
  if (!reply.failure || reply.failure->kind != Failure::Kind::context_overflow) return std::nullopt;
  if (!shorten(pending.request.turns)) return std::nullopt;
  return pending;
}

// These are no faults: the loop stops, or the version ends with what it has.
bool ends_the_loop(const Failure& failure) {
  return failure.kind == Failure::Kind::exhausted || failure.kind == Failure::Kind::budget;
}

PendingRequest first_request(const InnerLoop& loop, const Prompt& prompt) {
  PendingRequest first;
  first.provider = loop.provider_name;
  first.mode = prompt.mode;
  first.parent = prompt.parent;
  first.language = loop.language->name;
  first.account = loop.account;
  first.request.op = loop.op;
  first.request.version = loop.version;
  first.request.model = loop.model;
  first.request.max_output_tokens = loop.max_output_tokens;
  first.request.system = prompt.system;
  first.request.turns = {{Turn::Role::user, prompt.user}};
  if (loop.tools != nullptr) first.request.tools = loop.tools->declarations();
  return first;
}

void add_answer(Proposal& proposal, const PendingRequest& pending, const Answer& answer) {
  proposal.provider = pending.provider;
  proposal.model = answer.model;
  proposal.mode = pending.mode;
  proposal.parent = pending.parent;
  proposal.input_tokens += answer.usage.input.value_or(0);
  proposal.output_tokens += answer.usage.output.value_or(0);
}

}  // namespace

Proposal run_inner_loop(const InnerLoop& loop, const Prompt& prompt) {
  Proposal proposal;
  proposal.language = loop.language;
  proposal.prompt = prompt.record;
  PendingRequest next = first_request(loop, prompt);
  int rounds_read = 0;
  int answers = 0;
  for (int turn = 1;; ++turn) {
    next.request.turn = turn;
    PendingRequest pending = settled_request(*loop.journal, turn, next);
    loop.check_text(pending.request.system + pending.request.turns.back().text);
    Reply reply = ask(loop, pending);
    proposal.requests += reply.requests;
    if (const auto less = shortened_after(reply, pending)) {
      pending = *less;
      loop.journal->keep_request(turn, pending);
      reply = ask(loop, pending);
      proposal.requests += reply.requests;
    }
    if (reply.failure) {
      if (!ends_the_loop(*reply.failure)) {
        fail(ExitCode::provider, "{} {}: {} gives no answer: {}", loop.op,
             version_name(loop.version), pending.provider, reply.failure->message);
      }
      const bool budget = reply.failure->kind == Failure::Kind::budget;
      if (turn == 1 || (budget && proposal.source.empty())) {
        proposal.stopped = reply.failure->message;
        return proposal;
      }
      proposal.note += "; " + reply.failure->message;
      break;
    }
    const Answer& answer = *reply.answer;
    loop.check_text(answer.text);
    add_answer(proposal, pending, answer);
    TurnRecord record{pending.request, answer, {}, Json::array()};
    const bool reads = wants_to_read(loop, answer, rounds_read);
    std::string follow_up;
    if (reads) {
      ++rounds_read;
      record.status = "tools";
    } else {
      follow_up = digest(loop, record, proposal);
      if (record.status != "duplicate") ++answers;
    }
    proposal.turns.push_back(record);
    if (!reads) {
      // The same question again would get the same refusal.
      if (follow_up.empty() || record.status == "refusal") break;
      if (loop.turn_limit > 0 && answers >= loop.turn_limit) break;
    }
    Turn ours{Turn::Role::user, follow_up};
    if (!answer.tool_calls.empty()) {
      ours.tool_results = read_for(loop, pending.request, answer, rounds_read);
    }
    next = continued(loop, pending, answer, std::move(ours));
  }
  // A question that a killed build had asked already may have been put together otherwise.
  if (proposal.turns.front().request.turns.front().text != prompt.user) proposal.prompt = nullptr;
  if (proposal.source.empty()) proposal.source = no_source_text(loop, proposal.turns.back().status);
  return proposal;
}

}  // namespace kernelloop
