// What a model may read with while it writes a version. Tools read; nothing that writes, executes
// or reaches a network is one.
#pragma once

#include "propose/tool_messages.hpp"
#include "support/json.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kernelloop {

struct ToolOutput {
  std::string text;     // what was read, or, when it failed, one sentence that helps the model on
  bool failed = false;  // a bad question is a value too, never an exception
};

class ReadingTool {
 public:
  virtual ~ReadingTool() = default;
  // What the model sees. Must be the same for the same input on every call: it stands at the front
  // of the prompt, which providers cache.
  [[nodiscard]] virtual ToolDeclaration declaration() const = 0;
  // `input` is an object; that it fits the schema is for the tool to check. Throws Error only for
  // faults of this machine.
  virtual ToolOutput call(const Json& input) = 0;
};

struct ToolLimits {
  int rounds = 12;                       // of reading, for one version
  std::size_t result_bytes = 16u << 10;  // of one result; the rest is cut off and said
  std::size_t total_bytes = 160u << 10;  // of all results of one version
};

// The tools of one conversation, with the caps on what they bring back.
class ToolBox {
 public:
  // `secret_in` says in words what secret a text holds, "" for none: such a result is withheld.
  ToolBox(std::vector<ReadingTool*> tools, ToolLimits limits,
          std::function<std::string(const std::string& text)> secret_in);

  [[nodiscard]] std::vector<ToolDeclaration> declarations() const;

  // Answers every call, in order, each marked as data. `round` counts from 1; `spent_bytes` is what
  // earlier results of the conversation hold. Calls beyond the caps are answered with the reason.
  [[nodiscard]] std::vector<ToolResult> answer(const std::vector<ToolCall>& calls, int round,
                                               std::size_t spent_bytes) const;

  // Whether a model that has read for `round` rounds and still calls was told to stop already.
  [[nodiscard]] bool is_spent(int round) const { return round > limits_.rounds; }

 private:
  [[nodiscard]] ToolOutput output_of(const ToolCall& call) const;

  std::vector<ReadingTool*> tools_;
  ToolLimits limits_;
  std::function<std::string(const std::string& text)> secret_in_;
};

// `text` between marks that it cannot contain itself, so that it cannot pretend to have ended.
std::string marked_as_data(const std::string& tool, const std::string& text);

}  // namespace kernelloop
