// How one family of servers is spoken to: a request into bytes, bytes into a reply. No network
// here.
#pragma once

#include "propose/provider.hpp"
#include "propose/transport.hpp"
#include "support/json.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernelloop {

// Where to send it and as whom; from the environment and the user's own configuration only.
struct Endpoint {
  std::string base_url;       // as the server's family has it: Anthropic without /v1, OpenAI with
  std::string base_url_from;  // where it was set, for messages: "OPENAI_BASE_URL"
  std::string key;            // may be empty for a local server
  std::string key_from;       // "ANTHROPIC_API_KEY"
  std::string default_model;  // empty: the op has to name one
  std::string max_tokens_field = "max_tokens";  // openai-chat: servers differ
  std::string key_header = {};  // empty: the dialect's; "authorization" is sent with "Bearer "
  std::string query = {};       // "api-version=2026-01-01", put after the path
  std::vector<std::pair<std::string, std::string>> extra_headers = {};
  Json extra_body = Json::object();  // members that replace ours or come on top
  // Where the key is read from when the variable has none (key_source.hpp).
  std::filesystem::path key_file = {};
  std::vector<std::string> key_command = {};
  std::vector<std::string> drop_params = {};  // members of the body that this server refuses

  std::string lacks = {};  // what is set up wrongly, for a message; with_key refuses it

  // Whether there is a key to be had; nothing is read for the answer.
  [[nodiscard]] bool has_key() const {
    return !key.empty() || !key_file.empty() || !key_command.empty();
  }
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  [[nodiscard]] virtual HttpRequest request(const AskRequest& ask,
                                            const Endpoint& endpoint) const = 0;
  // Any response, the broken ones too.
  [[nodiscard]] Reply reply(const HttpResponse& response) const;

 protected:
  // The body of a plain 2xx answer.
  [[nodiscard]] virtual Reply from_json(const Json& body) const = 0;
  // An event stream; a Failure of kind truncated when its end mark is missing.
  [[nodiscard]] virtual Reply from_stream(std::string_view body) const = 0;
};

// "anthropic", "openai", "openai-chat". Throws Error(internal) for another name.
std::unique_ptr<Dialect> make_dialect(const std::string& name);
std::unique_ptr<Dialect> make_anthropic_dialect();
std::unique_ptr<Dialect> make_openai_dialect();
std::unique_ptr<Dialect> make_openai_chat_dialect();

// What the dialects share.

// A POST of `body` with what the user configured: key, headers, query, members added and dropped.
HttpRequest post_json(const Endpoint& endpoint, std::string_view path, Json body,
                      const std::string& key_header);
Json parse_leniently(std::string_view text);  // null when it is not JSON
// The items of a turn to send back as they came, or null: they are of another dialect or model.
const Json& echo_of(const Turn& turn, std::string_view dialect, const std::string& model);
// The end of reading an answer: the stop reason "tools" where there are calls that may be run; a
// Failure where there is nothing because reasoning (`reasoned`) took the whole output.
Reply settled(Answer answer, bool reasoned);

}  // namespace kernelloop
