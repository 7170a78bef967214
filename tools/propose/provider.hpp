// Who answers: one small interface for an API, a program, a person or a recording.
#pragma once

#include "propose/tool_messages.hpp"
#include "support/json.hpp"

#include "cost/usage.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

// The assistant's turn as the provider sent it, to be sent back unchanged: signatures and reasoning
// are bound to their place, their provider and their model.
struct Echo {
  std::string dialect;  // empty: nothing to echo
  std::string model;    // that was asked
  Json items;           // content blocks, output items or a message, as the dialect has them
};

struct Turn {
  enum class Role { user, assistant };
  Role role = Role::user;
  std::string text;
  std::vector<ToolCall> tool_calls = {};      // the assistant's; then `text` may be empty
  std::vector<ToolResult> tool_results = {};  // the user's: one for each call of the turn before
  Echo echo = {};                             // the assistant's
};

struct AskRequest {
  std::string op;
  int version = 0;
  int turn = 1;  // counts from 1 within the version
  std::string system;
  std::vector<Turn> turns;  // first and last are the user's
  std::string model;        // empty: the provider's default
  std::int64_t max_output_tokens = 32000;
  std::vector<ToolDeclaration> tools = {};  // empty: none are sent
};

struct Answer {
  std::string text;
  // "end", "length", "refusal", "tools" (it waits for the results of its calls), or the provider's
  // own word.
  std::string stop_reason;
  Usage usage;
  std::string model;                      // as the provider names it
  std::string raw;                        // the body as received; empty for providers without one
  std::vector<ToolCall> tool_calls = {};  // only with the stop reason "tools"
  Json echo_items = {};                   // see Echo; null for providers without one
  std::string note = {};  // what is odd about it, one line, for the log and the recording
  // Of a recording: what its calls brought back then. Nothing is read again.
  std::optional<std::vector<ToolResult>> recorded_results = {};
};

// Why there is no answer.
struct Failure {
  enum class Kind {
    network,           // no connection, reset, timeout
    truncated,         // the stream ended before its end mark
    rate_limit,        // 429
    overloaded,        // 5xx, 529, 408, 409
    authentication,    // 401, 403
    quota,             // no money left at the provider
    budget,            // the project's or the user's own limit: nothing was sent
    context_overflow,  // the prompt is too long
    bad_request,       // any other 4xx
    redirect,          // never followed
    reasoning_limit,   // reasoning used the whole output up
    protocol,          // an answer that is not what the dialect says
    command,           // the user's program failed
    exhausted,         // the recording ends here
  };
  Kind kind = Kind::network;
  std::string message;  // one line, free of keys
  bool retryable = false;
  int http_status = 0;
  std::optional<std::chrono::milliseconds> retry_after;
  Usage usage = {};  // what was counted before it went wrong: it may be charged
  // With context_overflow: the longest output that would fit beside this prompt, where it is said.
  std::optional<std::int64_t> fitting_output = {};
};

// Exactly one of answer and failure.
struct Reply {
  std::optional<Answer> answer;
  std::optional<Failure> failure;
  int requests = 1;  // sent, failed ones included

  static Reply of(Answer answer);
  static Reply of(Failure failure);
};

class Provider {
 public:
  virtual ~Provider() = default;
  // A reply that was not to be had is a Failure. Throws Error(waiting) when a person has to act
  // first, Error(environment) and Error(io) when this machine is at fault.
  virtual Reply ask(const AskRequest& request) = 0;
};

const char* name_of(Failure::Kind kind);
// The inverse; a name we do not know is a protocol failure.
Failure::Kind failure_kind_of(const std::string& name);

// For the journal. The inverse functions throw Error(bad_input).
Json to_json(const AskRequest& request);
AskRequest request_from_json(const JsonDocument& document);
Json to_json(const Reply& reply);
Reply reply_from_json(const JsonDocument& document);

// Names this request across processes and retries: the same question gives the same 32 digits.
std::string idempotency_key(const AskRequest& request);

}  // namespace kernelloop
