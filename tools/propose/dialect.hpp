// How one family of servers is spoken to: a request into bytes, bytes into a reply. No network
// here.
#pragma once

#include "propose/provider.hpp"
#include "propose/transport.hpp"
#include "support/json_members.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace kernelloop {

// Where to send it and as whom; from the environment and the user's own configuration only.
struct Endpoint {
  std::string base_url;       // as the server's family has it: Anthropic without /v1, OpenAI with
  std::string base_url_from;  // where it was set, for messages: "OPENAI_BASE_URL"
  std::string key;            // may be empty for a local server
  std::string key_from;       // "ANTHROPIC_API_KEY"
  std::string default_model;  // empty: the op has to name one
  std::string max_tokens_field = "max_tokens";  // openai-chat: servers differ
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
Failure failure_of_status(const HttpResponse& response);
Failure failure_of_error(const Json& error, int status);  // an error object, whatever its shape
Failure failure(Failure::Kind kind, std::string message, bool retryable = false);
Json parse_leniently(std::string_view text);  // null when it is not JSON
std::string joined_url(const std::string& base, std::string_view path);

}  // namespace kernelloop
