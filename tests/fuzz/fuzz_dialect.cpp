// Whatever a server sends is an answer or a failure, in every dialect; never both, never neither.
#include "propose/dialect.hpp"

#include "promise.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelloop;
  const std::string body(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"anthropic", "openai", "openai-chat"}) {
    const auto dialect = make_dialect(name);
    for (const int status : {200, 400, 429}) {
      const Reply reply = dialect->reply({status, {}, body, ""});
      promise(reply.answer.has_value() != reply.failure.has_value(), "answer and failure");
      if (reply.failure) promise(!reply.failure->message.empty(), "a failure without a word");
      if (!reply.answer) continue;
      for (const ToolCall& call : reply.answer->tool_calls) {
        promise(!call.id.empty(), "a call that nobody can answer");
        promise(call.input.is_object() != !call.error.empty(), "arguments and an error");
      }
      // What came can be sent back.
      AskRequest next;
      next.model = "m";
      Turn theirs{Turn::Role::assistant, reply.answer->text, reply.answer->tool_calls};
      theirs.echo = {name, "m", reply.answer->echo_items};
      next.turns = {{Turn::Role::user, "x"}, theirs, {Turn::Role::user, "y"}};
      promise(!parse_leniently(dialect->request(next, {}).body).is_null(), "no JSON to send back");
    }
  }
  return 0;
}
