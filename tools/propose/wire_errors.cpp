#include "propose/wire_errors.hpp"

#include "propose/dialect.hpp"
#include "propose/rate_limit.hpp"
#include "support/json_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <initializer_list>
#include <regex>
#include <utility>

namespace kernelloop {
namespace {

using Kind = Failure::Kind;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool contains_any(const std::string& text, std::initializer_list<std::string_view> needles) {
  return std::any_of(needles.begin(), needles.end(), [&](std::string_view needle) {
    return text.find(needle) != std::string::npos;
  });
}

std::string code_text(const Json& error) {
  for (const char* name : {"type", "code", "status"}) {
    const auto found = error.find(name);
    if (found != error.end() && found->is_string() && found->get<std::string>() != "error") {
      return found->get<std::string>();
    }
  }
  return {};
}

int code_number(const Json& error) {
  const auto found = error.find("code");
  return found != error.end() && found->is_number_integer() ? found->get<int>() : 0;
}

Kind kind_of(int status, const std::string& words) {
  if (status == 413 ||
      contains_any(words, {"prompt is too long", "context_length", "maximum context length",
                           "exceed context limit", "exceed_context_size", "request_too_large",
                           "context window", "input is too long"})) {
    return Kind::context_overflow;
  }
  if (contains_any(words, {"insufficient_quota", "billing", "credit balance", "spend limit"}) ||
      status == 402) {
    return Kind::quota;
  }
  if (status == 401 || status == 403 ||
      contains_any(words, {"authentication_error", "invalid_api_key", "permission_error"})) {
    return Kind::authentication;
  }
  if (status == 429 || contains_any(words, {"rate_limit"})) return Kind::rate_limit;
  if (status == 408 || status == 409 || status >= 500 ||
      contains_any(words, {"overloaded", "server_error", "api_error", "timeout_error"})) {
    return Kind::overloaded;
  }
  return Kind::bad_request;
}

// "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000": what is left for
// the answer.
std::optional<std::int64_t> fitting_output(const std::string& message) {
  static const std::regex k_sum(R"(context limit: (\d{1,12}) \+ (\d{1,12}) > (\d{1,12}))");
  std::smatch match;
  if (!std::regex_search(message, match, k_sum)) return std::nullopt;
  const std::int64_t left = std::stoll(match[3].str()) - std::stoll(match[1].str());
  return left > 0 ? std::optional(left) : std::nullopt;
}

std::string remedy_for(Kind kind) {
  switch (kind) {
    case Kind::authentication:
      return "; check the key and that it may use this model";
    case Kind::quota:
      return "; add credit or choose another provider";
    case Kind::context_overflow:
      return "; shorten hints or context, or choose a model with a longer context";
    case Kind::bad_request:
      return "; check MODEL and the base URL; a field that this server does not take can be left "
             "out "
             "with drop_params";
    default:
      return "";
  }
}

}  // namespace

std::string excerpt(std::string_view text) {
  std::string result(text.substr(0, 500));
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 32) c = ' ';
  }
  return result;
}

Failure failure(Failure::Kind kind, std::string message, bool retryable) {
  Failure result;
  result.kind = kind;
  result.message = std::move(message);
  result.retryable = retryable;
  return result;
}

Failure failure_of_error(const Json& error, int status) {
  const Json& body = error.is_array() && !error.empty() ? error.front() : error;
  const Json& inner =
      body.is_object() && body.contains("error") && !body["error"].is_null() ? body["error"] : body;
  std::string message = text_member(inner, "message");
  if (message.empty()) message = text_member(inner, "detail");
  if (message.empty() && inner.is_string()) message = inner.get<std::string>();
  if (message.empty()) message = "no reason given";
  const std::string code = inner.is_object() ? code_text(inner) : std::string();
  if (status < 400 && inner.is_object()) status = code_number(inner);
  const Kind kind = kind_of(status, lower(code + " " + text_member(inner, "code") + " " + message));
  Failure result = failure(
      kind,
      fmt::format("{}{}{}: {}{}", status > 0 ? fmt::format("HTTP {} ", status) : "", name_of(kind),
                  code.empty() ? "" : " (" + code + ")", excerpt(message), remedy_for(kind)),
      kind == Kind::rate_limit || kind == Kind::overloaded);
  result.http_status = status;
  if (kind == Kind::context_overflow) result.fitting_output = fitting_output(excerpt(message));
  return result;
}

bool is_content_refusal(const Json& error) {
  const Json& inner = member(error, "error").is_object() ? member(error, "error") : error;
  for (const char* name : {"code", "type"}) {
    const std::string code = text_member(inner, name);
    if (code == "content_filter" || code == "content_policy_violation" ||
        code == "invalid_prompt" || code == "bio_policy") {
      return true;
    }
  }
  return false;
}

Failure failure_of_status(const HttpResponse& response) {
  if (response.status >= 300 && response.status < 400) {
    const auto location = response.headers.find("location");
    Failure result = failure(
        Kind::redirect,
        fmt::format("HTTP {}: the server redirects to {}, which is never followed; set the base "
                    "URL to where the API is",
                    response.status,
                    location == response.headers.end() ? "nowhere" : shown_url(location->second)));
    result.http_status = response.status;
    return result;
  }
  const Json body = parse_leniently(response.body);
  Failure result =
      body.is_object() || body.is_array()
          ? failure_of_error(body, response.status)
          : failure_of_error(Json{{"message", excerpt(response.body)}}, response.status);
  result.retry_after = asked_wait(response, std::time(nullptr));
  // Some servers know better than their status says.
  if (const auto told = response.headers.find("x-should-retry"); told != response.headers.end()) {
    if (told->second == "true" || told->second == "false")
      result.retryable = told->second == "true";
  }
  return result;
}

}  // namespace kernelloop
