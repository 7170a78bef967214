#include "propose/provider.hpp"

#include "support/hash.hpp"

#include <array>
#include <utility>

namespace kernelloop {
namespace {

using Kind = Failure::Kind;

constexpr std::array<std::pair<Kind, const char*>, 14> k_kinds{
    {{Kind::network, "network"},
     {Kind::truncated, "truncated"},
     {Kind::rate_limit, "rate_limit"},
     {Kind::overloaded, "overloaded"},
     {Kind::authentication, "authentication"},
     {Kind::quota, "quota"},
     {Kind::budget, "budget"},
     {Kind::context_overflow, "context_overflow"},
     {Kind::bad_request, "bad_request"},
     {Kind::redirect, "redirect"},
     {Kind::reasoning_limit, "reasoning_limit"},
     {Kind::protocol, "protocol"},
     {Kind::command, "command"},
     {Kind::exhausted, "exhausted"}}};

}  // namespace

const char* name_of(Failure::Kind kind) {
  for (const auto& [known, text] : k_kinds) {
    if (known == kind) return text;
  }
  return "protocol";
}

Failure::Kind failure_kind_of(const std::string& name) {
  for (const auto& [kind, text] : k_kinds) {
    if (name == text) return kind;
  }
  return Kind::protocol;
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

std::string idempotency_key(const AskRequest& request) {
  const std::string text = to_text(to_json(request));
  return sha256(text).substr(0, 32);
}

}  // namespace kernelloop
