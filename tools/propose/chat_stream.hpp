// The chunks of a Chat Completions stream, put together to the completion that a plain answer would
// have been.
#pragma once

#include "support/json.hpp"

#include <string>
#include <vector>

namespace kernelloop {

// The text of a message's `content`: a string, or a list of parts, of which those that are text
// count. "" for anything else.
std::string chat_text(const Json& content);

class ChatStream {
 public:
  void take(const Json& chunk);  // an object
  void end() { ended_ = true; }  // [DONE] came

  // A finish reason came, or [DONE] after some text. Some servers leave out the one, some the
  // other.
  [[nodiscard]] bool is_whole() const;
  [[nodiscard]] Json completion() const;

 private:
  void take_delta(const Json& delta);
  void take_call(const Json& part);
  Json& call_for(const Json& part);

  Json message_ = Json::object();
  std::vector<Json> calls_;
  std::vector<std::string> arguments_;  // of calls_, as far as they came
  Json usage_;
  Json filter_results_;
  std::string model_;
  std::string finish_reason_;
  bool has_choice_ = false;
  bool ended_ = false;
};

}  // namespace kernelloop
