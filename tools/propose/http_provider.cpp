#include "propose/http_provider.hpp"

#include "propose/secrets.hpp"
#include "support/error.hpp"

#include <utility>

namespace kernelloop {

HttpProvider::HttpProvider(HttpProviderParts parts) : parts_(std::move(parts)) {}

Reply HttpProvider::ask(const AskRequest& request) {
  AskRequest filled = request;
  if (filled.model.empty()) filled.model = parts_.endpoint.default_model;
  if (filled.model.empty()) {
    fail(ExitCode::provider,
         "op {}: this provider has no default model; set MODEL in add_kernel_op", request.op);
  }
  for (Turn& turn : filled.turns) {
    if (turn.echo.model.empty()) turn.echo.model = filled.model;
  }
  HttpRequest message = parts_.dialect->request(filled, parts_.endpoint);
  check_url(message.url, message.carries_key, parts_.endpoint.base_url_from);
  message.headers.emplace_back("idempotency-key", idempotency_key(request));
  message.headers.emplace_back("user-agent", "kernelloop");
  message.limits = parts_.limits;
  Reply reply = with_retries(parts_.retry, *parts_.clock, [&] {
    const HttpResponse response = parts_.transport->send(message);
    if (response.status >= 200 && response.status < 300 && parts_.keep) parts_.keep(response);
    return parts_.dialect->reply(response);
  });
  if (reply.answer && reply.answer->model.empty()) reply.answer->model = filled.model;
  if (reply.failure) {
    const std::string where = shown_url(parts_.endpoint.base_url);
    const std::string key =
        parts_.endpoint.key_from.empty() ? "" : ", key of " + parts_.endpoint.key_from;
    reply.failure->message = without_value(
        fmt::format("{} ({}{})", reply.failure->message, where, key), parts_.endpoint.key);
  }
  return reply;
}

}  // namespace kernelloop
