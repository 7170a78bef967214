#include "propose/http_provider.hpp"

#include "propose/secrets.hpp"
#include "propose/wire_errors.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <utility>

namespace kernelloop {
namespace {

constexpr std::int64_t k_least_output = 2048;  // tokens; less is no kernel

// The same question with another limit on its answer, where that may help.
std::optional<AskRequest> with_better_limit(AskRequest request, const Failure& failure) {
  if (failure.kind == Failure::Kind::reasoning_limit) {
    request.max_output_tokens *= 2;
    return request;
  }
  const std::int64_t fitting = failure.fitting_output.value_or(0);
  if (failure.kind != Failure::Kind::context_overflow || fitting < k_least_output ||
      fitting >= request.max_output_tokens) {
    return std::nullopt;
  }
  request.max_output_tokens = fitting;
  return request;
}

// A server that silently cuts the prompt counts far fewer tokens than there were.
std::string doubt_about(const Usage& usage, std::size_t prompt_bytes) {
  const auto least = static_cast<std::int64_t>(prompt_bytes / 12);
  if (!usage.input || *usage.input <= 0 || *usage.input >= least || least < 1000) return {};
  return fmt::format(
      "the server counts {} tokens of prompt where at least {} were sent; it may have cut it "
      "(context length of the server)",
      *usage.input, least);
}

}  // namespace

Reply without_key(Reply reply, const std::string& key) {
  if (reply.failure) {
    reply.failure->message = without_value(std::move(reply.failure->message), key);
    return reply;
  }
  Answer& answer = *reply.answer;
  answer.text = without_value(std::move(answer.text), key);
  answer.note = without_value(std::move(answer.note), key);
  const auto cleaned = [&](const Json& json) {
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::string clean = without_value(text, key);
    return clean == text ? json : parse_leniently(clean);
  };
  answer.echo_items = cleaned(answer.echo_items);
  for (ToolCall& call : answer.tool_calls) call.input = cleaned(call.input);
  return reply;
}

HttpProvider::HttpProvider(HttpProviderParts parts) : parts_(std::move(parts)) {}

Reply HttpProvider::ask(const AskRequest& request) {
  if (request.model.empty() && parts_.endpoint.default_model.empty()) {
    fail(ExitCode::provider,
         "op {}: this provider has no default model; set MODEL in add_kernel_op", request.op);
  }
  Reply reply = ask_once(request);
  if (reply.failure) {
    if (const auto better = with_better_limit(request, *reply.failure)) {
      const int earlier = reply.requests;
      reply = ask_once(*better);
      reply.requests += earlier;
    }
  }
  if (reply.failure && reply.failure->kind != Failure::Kind::budget) {
    const std::string where = shown_url(parts_.endpoint.base_url);
    const std::string key =
        parts_.endpoint.key.empty() ? "without a key" : "key of " + parts_.endpoint.key_from;
    reply.failure->message = fmt::format("{} ({}, {})", reply.failure->message, where, key);
  }
  return reply;
}

Reply HttpProvider::ask_once(const AskRequest& request) {
  AskRequest filled = request;
  if (filled.model.empty()) filled.model = parts_.endpoint.default_model;
  for (Turn& turn : filled.turns) {
    if (turn.echo.model.empty()) turn.echo.model = filled.model;
  }
  HttpRequest message = parts_.dialect->request(filled, parts_.endpoint);
  check_url(message.url, message.carries_key, parts_.endpoint.base_url_from);
  message.headers.emplace_back("idempotency-key", idempotency_key(request));
  message.headers.emplace_back("user-agent", "kernelloop");
  message.limits = parts_.limits;
  const auto start = parts_.clock->now();
  return with_retries(parts_.retry, *parts_.clock, [&] {
    const auto left = parts_.retry.total - (parts_.clock->now() - start);
    message.limits.total =
        std::min(parts_.limits.total, std::chrono::duration_cast<std::chrono::milliseconds>(left));
    return exchange(filled, message);
  });
}

Reply HttpProvider::exchange(const AskRequest& request, const HttpRequest& message) {
  if (parts_.meter != nullptr) {
    const std::string reason = parts_.meter->open(request, message.body.size());
    if (!reason.empty()) return Reply::of(failure(Failure::Kind::budget, reason));
  }
  HttpResponse response = parts_.transport->send(message);
  response.body = without_value(std::move(response.body), parts_.endpoint.key);
  if (response.status >= 200 && response.status < 300 && parts_.keep) parts_.keep(response);
  Reply reply = without_key(parts_.dialect->reply(response), parts_.endpoint.key);
  if (parts_.meter != nullptr) parts_.meter->close(reply, response.sent);
  if (response.interrupted && reply.failure) reply.failure->retryable = false;
  if (reply.answer) {
    if (reply.answer->model.empty()) reply.answer->model = request.model;
    if (reply.answer->note.empty()) {
      reply.answer->note = doubt_about(reply.answer->usage, message.body.size());
    }
  }
  return reply;
}

}  // namespace kernelloop
