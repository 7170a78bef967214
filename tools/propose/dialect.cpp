#include "propose/dialect.hpp"

#include "propose/sse.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <ctime>

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

// The first of an unknown body, on one line.
std::string excerpt(std::string_view text) {
  std::string result(text.substr(0, 500));
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 32) c = ' ';
  }
  return result;
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
  if (contains_any(words, {"prompt is too long", "context_length", "maximum context length",
                           "exceed context limit", "exceed_context_size"})) {
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

std::optional<std::chrono::milliseconds> milliseconds_of(const std::string& text, double unit) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(value) || value < 0) {
    return std::nullopt;
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(value * unit, 1e9)));
}

// retry-after-ms, then retry-after: seconds or a date.
std::optional<std::chrono::milliseconds> retry_after(const HttpResponse& response) {
  if (const auto found = response.headers.find("retry-after-ms"); found != response.headers.end()) {
    if (const auto value = milliseconds_of(found->second, 1.0)) return value;
  }
  const auto found = response.headers.find("retry-after");
  if (found == response.headers.end()) return std::nullopt;
  if (const auto value = milliseconds_of(found->second, 1000.0)) return value;
  std::tm date{};
  if (::strptime(found->second.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) == nullptr) {
    return std::nullopt;
  }
  const auto left = static_cast<std::int64_t>(::timegm(&date) - std::time(nullptr));
  return std::chrono::milliseconds(std::max<std::int64_t>(0, left) * 1000);
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
      return "; check MODEL and the base URL";
    default:
      return "";
  }
}

}  // namespace

Failure failure(Failure::Kind kind, std::string message, bool retryable) {
  Failure result;
  result.kind = kind;
  result.message = std::move(message);
  result.retryable = retryable;
  return result;
}

Json parse_leniently(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json(nullptr) : json;
}

std::string joined_url(const std::string& base, std::string_view path) {
  std::string result = base;
  while (!result.empty() && result.back() == '/') result.pop_back();
  return result + std::string(path);
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
  return result;
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
  result.retry_after = retry_after(response);
  return result;
}

Reply Dialect::reply(const HttpResponse& response) const {
  if (response.status == 0) {
    return Reply::of(failure(Kind::network, "no answer: " + response.error, true));
  }
  if (response.status < 200 || response.status >= 300) {
    return Reply::of(failure_of_status(response));
  }
  Reply result;
  if (looks_like_sse(response.body)) {
    result = from_stream(response.body);
  } else if (const Json body = parse_leniently(response.body);
             body.is_object() || body.is_array()) {
    const bool flat_error = body.is_object() && member(body, "object") == "error";
    const bool has_error =
        body.is_array() || flat_error || (body.contains("error") && !body["error"].is_null());
    result = has_error ? Reply::of(failure_of_error(body, 0)) : from_json(body);
  } else if (!response.error.empty() || response.body.empty()) {
    result = Reply::of(
        failure(Kind::truncated,
                "the answer broke off: " +
                    (response.error.empty() ? std::string("an empty body") : response.error),
                true));
  } else {
    result = Reply::of(
        failure(Kind::protocol, "neither JSON nor an event stream: " + excerpt(response.body)));
  }
  if (result.failure) {
    result.failure->http_status = response.status;
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
