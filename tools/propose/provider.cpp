#include "propose/provider.hpp"

#include "support/error.hpp"
#include "support/hash.hpp"

#include <array>
#include <utility>

namespace kernelloop {
namespace {

using Kind = Failure::Kind;

constexpr std::array<std::pair<Kind, const char*>, 12> k_kinds{
    {{Kind::network, "network"},
     {Kind::truncated, "truncated"},
     {Kind::rate_limit, "rate_limit"},
     {Kind::overloaded, "overloaded"},
     {Kind::authentication, "authentication"},
     {Kind::quota, "quota"},
     {Kind::context_overflow, "context_overflow"},
     {Kind::bad_request, "bad_request"},
     {Kind::redirect, "redirect"},
     {Kind::protocol, "protocol"},
     {Kind::command, "command"},
     {Kind::exhausted, "exhausted"}}};

Kind kind_from(const std::string& name) {
  for (const auto& [kind, text] : k_kinds) {
    if (name == text) return kind;
  }
  return Kind::protocol;
}

Json optional_number(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<std::int64_t> number_or_none(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<std::int64_t>();
}

[[noreturn]] void fail_journal(const JsonDocument& document, const std::string& why) {
  fail(ExitCode::bad_input, "{}: not a file of the proposal journal ({}); delete it to ask again",
       document.path.string(), why);
}

}  // namespace

const char* name_of(Failure::Kind kind) {
  for (const auto& [known, text] : k_kinds) {
    if (known == kind) return text;
  }
  return "protocol";
}

Reply Reply::of(Answer answer) {
  Reply reply;
  reply.answer = std::move(answer);
  return reply;
}

Reply Reply::of(Failure failure) {
  Reply reply;
  reply.failure = std::move(failure);
  return reply;
}

Json to_json(const Usage& usage) {
  return {{"input", optional_number(usage.input)},
          {"output", optional_number(usage.output)},
          {"cached_input", optional_number(usage.cached_input)}};
}

Usage usage_from_json(const Json& json) {
  if (!json.is_object()) return {};
  return {number_or_none(json, "input"), number_or_none(json, "output"),
          number_or_none(json, "cached_input")};
}

Json to_json(const AskRequest& request) {
  Json turns = Json::array();
  for (const Turn& turn : request.turns) {
    turns.push_back(
        {{"role", turn.role == Turn::Role::user ? "user" : "assistant"}, {"text", turn.text}});
  }
  return {{"op", request.op},
          {"version", request.version},
          {"turn", request.turn},
          {"model", request.model},
          {"max_output_tokens", request.max_output_tokens},
          {"system", request.system},
          {"turns", turns}};
}

AskRequest request_from_json(const JsonDocument& document) {
  try {
    const Json& json = document.value;
    AskRequest request;
    request.op = json.at("op").get<std::string>();
    request.version = json.at("version").get<int>();
    request.turn = json.at("turn").get<int>();
    request.model = json.at("model").get<std::string>();
    request.max_output_tokens = json.at("max_output_tokens").get<std::int64_t>();
    request.system = json.at("system").get<std::string>();
    for (const Json& turn : json.at("turns")) {
      request.turns.push_back({turn.at("role") == "user" ? Turn::Role::user : Turn::Role::assistant,
                               turn.at("text").get<std::string>()});
    }
    return request;
  } catch (const Json::exception& error) {
    fail_journal(document, error.what());
  }
}

Json to_json(const Reply& reply) {
  Json json = {{"schema_version", 1}, {"requests", reply.requests}};
  if (reply.answer) {
    const Answer& answer = *reply.answer;
    json["status"] = "answered";
    json["text"] = answer.text;
    json["stop_reason"] = answer.stop_reason;
    json["usage"] = to_json(answer.usage);
    json["model"] = answer.model;
    return json;
  }
  const Failure& failure = reply.failure.value();
  json["status"] = "failed";
  json["kind"] = name_of(failure.kind);
  json["message"] = failure.message;
  json["retryable"] = failure.retryable;
  json["http_status"] = failure.http_status;
  return json;
}

Reply reply_from_json(const JsonDocument& document) {
  try {
    const Json& json = document.value;
    Reply reply;
    if (json.at("status") == "answered") {
      reply = Reply::of(Answer{json.at("text").get<std::string>(),
                               json.at("stop_reason").get<std::string>(),
                               usage_from_json(json.at("usage")),
                               json.at("model").get<std::string>(),
                               {}});
    } else {
      reply = Reply::of(Failure{kind_from(json.at("kind").get<std::string>()),
                                json.at("message").get<std::string>(),
                                json.at("retryable").get<bool>(),
                                json.at("http_status").get<int>(),
                                {}});
    }
    reply.requests = json.at("requests").get<int>();
    return reply;
  } catch (const Json::exception& error) {
    fail_journal(document, error.what());
  }
}

std::string idempotency_key(const AskRequest& request) {
  const std::string text = to_text(to_json(request));
  return sha256(text).substr(0, 32);
}

}  // namespace kernelloop
