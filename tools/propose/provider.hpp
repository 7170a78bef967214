// Who answers: one small interface for an API, a program, a person or a recording.
#pragma once

#include "support/json.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

struct Turn {
  enum class Role { user, assistant };
  Role role = Role::user;
  std::string text;
};

struct AskRequest {
  std::string op;
  int version = 0;
  int turn = 1;  // counts from 1 within the version
  std::string system;
  std::vector<Turn> turns;  // first and last are the user's
  std::string model;        // empty: the provider's default
  std::int64_t max_output_tokens = 32000;
};

// Tokens as the provider counts them; nothing where it did not say.
struct Usage {
  std::optional<std::int64_t> input;  // the whole prompt, cached parts included
  std::optional<std::int64_t> output;
  std::optional<std::int64_t> cached_input;
};

struct Answer {
  std::string text;
  std::string stop_reason;  // "end", "length", "refusal", or the provider's own word
  Usage usage;
  std::string model;  // as the provider names it
  std::string raw;    // the body as received; empty for providers without one
};

// Why there is no answer.
struct Failure {
  enum class Kind {
    network,           // no connection, reset, timeout
    truncated,         // the stream ended before its end mark
    rate_limit,        // 429
    overloaded,        // 5xx, 529, 408, 409
    authentication,    // 401, 403
    quota,             // no money left
    context_overflow,  // the prompt is too long
    bad_request,       // any other 4xx
    redirect,          // never followed
    protocol,          // an answer that is not what the dialect says
    command,           // the user's program failed
    exhausted,         // the recording ends here
  };
  Kind kind = Kind::network;
  std::string message;  // one line, free of keys
  bool retryable = false;
  int http_status = 0;
  std::optional<std::chrono::milliseconds> retry_after;
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

// For the journal. The inverse functions throw Error(bad_input).
Json to_json(const AskRequest& request);
AskRequest request_from_json(const JsonDocument& document);
Json to_json(const Usage& usage);
Usage usage_from_json(const Json& json);
Json to_json(const Reply& reply);
Reply reply_from_json(const JsonDocument& document);

// Names this request across processes and retries: the same question gives the same 32 digits.
std::string idempotency_key(const AskRequest& request);

}  // namespace kernelloop
