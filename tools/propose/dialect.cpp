#include "propose/dialect.hpp"

#include "propose/sse.hpp"
#include "propose/wire_errors.hpp"
#include "support/error.hpp"
#include "support/json_members.hpp"
#include "support/secret_environment.hpp"

#include <utility>

namespace kernelloop {
namespace {

using Kind = Failure::Kind;

Reply refused(const std::string& why) {
  Answer answer;
  answer.stop_reason = "refusal";
  answer.note = why;
  return Reply::of(std::move(answer));
}

// The same question again would get the same answer: a refusal is one, whatever its status.
Reply reply_of_error(const Json& body, Failure problem) {
  return is_content_refusal(body) ? refused(problem.message) : Reply::of(std::move(problem));
}

// Of a body that is no JSON: whether it was meant to become some. An empty one was too.
bool begins_like_json(std::string_view body) {
  const std::size_t start = body.find_first_not_of(" \t\r\n");
  return start == std::string_view::npos || body[start] == '{' || body[start] == '[';
}

bool is_error(const Json& body) {
  return body.is_array() || member(body, "object") == "error" || !member(body, "error").is_null();
}

}  // namespace

Json parse_leniently(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json(nullptr) : json;
}

HttpRequest post_json(const Endpoint& endpoint, std::string_view path, Json body,
                      const std::string& key_header) {
  for (const auto& [name, value] : endpoint.extra_body.items()) body[name] = value;
  for (const std::string& name : endpoint.drop_params) body.erase(name);
  HttpRequest result;
  result.url = endpoint.base_url;
  while (!result.url.empty() && result.url.back() == '/') result.url.pop_back();
  result.url += path;
  if (!endpoint.query.empty()) result.url += "?" + endpoint.query;
  result.headers = {{"content-type", "application/json"},
                    {"accept", "text/event-stream, application/json"}};
  if (!endpoint.key.empty()) {
    const std::string& name = endpoint.key_header.empty() ? key_header : endpoint.key_header;
    result.headers.emplace_back(name,
                                name == "authorization" ? "Bearer " + endpoint.key : endpoint.key);
    result.carries_key = true;
  }
  for (const auto& header : endpoint.extra_headers) {
    result.headers.push_back(header);
    result.carries_key = result.carries_key || is_secret_name(header.first);
  }
  result.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  return result;
}

const Json& echo_of(const Turn& turn, std::string_view dialect, const std::string& model) {
  static const Json k_none;
  return turn.echo.dialect == dialect && turn.echo.model == model ? turn.echo.items : k_none;
}

Reply settled(Answer answer, bool reasoned) {
  const bool cut = answer.stop_reason == "length";
  if (cut || answer.stop_reason == "refusal") answer.tool_calls.clear();  // perhaps half of one
  if (!answer.tool_calls.empty()) answer.stop_reason = "tools";
  int number = 0;
  for (ToolCall& call : answer.tool_calls) {
    ++number;
    if (call.id.empty()) call.id = fmt::format("call_{}", number);
  }
  const bool blank = answer.text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (!cut || !blank || !(reasoned || answer.usage.reasoning.value_or(0) > 0)) {
    return Reply::of(std::move(answer));
  }
  Failure problem =
      failure(Kind::reasoning_limit,
              fmt::format("reasoning used up the whole output ({}) before the answer began; raise "
                          "max_output_tokens or lower the reasoning effort",
                          answer.usage.output ? fmt::format("{} tokens", *answer.usage.output)
                                              : std::string("tokens unknown")));
  problem.usage = answer.usage;
  return Reply::of(std::move(problem));
}

Reply Dialect::reply(const HttpResponse& response) const {
  if (response.status == 0) {
    return Reply::of(failure(Kind::network, "no answer: " + response.error, true));
  }
  if (response.status < 200 || response.status >= 300) {
    return reply_of_error(parse_leniently(response.body), failure_of_status(response));
  }
  Reply result;
  if (looks_like_sse(response.body)) {
    result = from_stream(response.body);
  } else if (const Json body = parse_leniently(response.body);
             body.is_object() || body.is_array()) {
    result = is_error(body) ? reply_of_error(body, failure_of_error(body, 0)) : from_json(body);
  } else if (!response.error.empty() || begins_like_json(response.body)) {
    const std::string why = response.error.empty() ? "its end is missing" : response.error;
    return Reply::of(failure(Kind::truncated, "the answer broke off: " + why, true));
  } else {
    result = Reply::of(
        failure(Kind::protocol, "neither JSON nor an event stream: " + excerpt(response.body)));
  }
  if (result.failure) {
    if (result.failure->http_status == 0) result.failure->http_status = response.status;
    if (result.failure->kind == Kind::truncated && !response.error.empty()) {
      result.failure->message += " (" + response.error + ")";
    }
  } else {
    result.answer->raw = response.body;
  }
  return result;
}

std::unique_ptr<Dialect> make_dialect(const std::string& name) {
  if (name == "anthropic") return make_anthropic_dialect();
  if (name == "openai") return make_openai_dialect();
  if (name == "openai-chat") return make_openai_chat_dialect();
  fail(ExitCode::internal, "no HTTP dialect is called '{}'", name);
}

}  // namespace kernelloop
