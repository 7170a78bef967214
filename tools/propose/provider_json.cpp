// The journal's form of requests and replies.
#include "propose/provider.hpp"
#include "support/error.hpp"
#include "support/json_members.hpp"

#include <utility>

namespace kernelloop {
namespace {

[[noreturn]] void fail_journal(const JsonDocument& document, const std::string& why) {
  fail(ExitCode::bad_input, "{}: not a file of the proposal journal ({}); delete it to ask again",
       document.path.string(), why);
}

Json turn_json(const Turn& turn) {
  Json json = {{"role", turn.role == Turn::Role::user ? "user" : "assistant"}, {"text", turn.text}};
  if (!turn.tool_calls.empty()) json["tool_calls"] = to_json(turn.tool_calls);
  if (!turn.tool_results.empty()) json["tool_results"] = to_json(turn.tool_results);
  if (!turn.echo.dialect.empty()) {
    json["echo"] = {
        {"dialect", turn.echo.dialect}, {"model", turn.echo.model}, {"items", turn.echo.items}};
  }
  return json;
}

Turn turn_from(const Json& json) {
  Turn turn;
  turn.role = json.at("role") == "user" ? Turn::Role::user : Turn::Role::assistant;
  turn.text = json.at("text").get<std::string>();
  if (json.contains("tool_calls")) turn.tool_calls = calls_from_json(json["tool_calls"]);
  if (json.contains("tool_results")) turn.tool_results = results_from_json(json["tool_results"]);
  if (json.contains("echo")) {
    const Json& echo = json["echo"];
    turn.echo = {echo.at("dialect").get<std::string>(), echo.at("model").get<std::string>(),
                 echo.at("items")};
  }
  return turn;
}

}  // namespace

Json to_json(const AskRequest& request) {
  Json turns = Json::array();
  for (const Turn& turn : request.turns) {
    turns.push_back(turn_json(turn));
  }
  Json json = {{"op", request.op},
               {"version", request.version},
               {"turn", request.turn},
               {"model", request.model},
               {"max_output_tokens", request.max_output_tokens},
               {"system", request.system},
               {"turns", turns}};
  if (!request.tools.empty()) json["tools"] = to_json(request.tools);
  return json;
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
      request.turns.push_back(turn_from(turn));
    }
    if (json.contains("tools")) request.tools = tools_from_json(json["tools"]);
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
    if (!answer.tool_calls.empty()) json["tool_calls"] = to_json(answer.tool_calls);
    if (!answer.note.empty()) json["note"] = answer.note;
    if (!answer.echo_items.is_null()) json["echo_items"] = answer.echo_items;
    return json;
  }
  const Failure& failure = reply.failure.value();
  json["status"] = "failed";
  json["kind"] = name_of(failure.kind);
  json["message"] = failure.message;
  json["retryable"] = failure.retryable;
  json["http_status"] = failure.http_status;
  json["usage"] = to_json(failure.usage);
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
      if (json.contains("tool_calls")) {
        reply.answer->tool_calls = calls_from_json(json["tool_calls"]);
      }
      reply.answer->note = text_member(json, "note");
      if (json.contains("echo_items")) reply.answer->echo_items = json["echo_items"];
    } else {
      reply = Reply::of(Failure{failure_kind_of(json.at("kind").get<std::string>()),
                                json.at("message").get<std::string>(),
                                json.at("retryable").get<bool>(),
                                json.at("http_status").get<int>(),
                                {},
                                usage_from_json(member(json, "usage"))});
    }
    reply.requests = json.at("requests").get<int>();
    return reply;
  } catch (const Json::exception& error) {
    fail_journal(document, error.what());
  }
}

}  // namespace kernelloop
