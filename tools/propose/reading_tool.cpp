#include "propose/reading_tool.hpp"

#include "support/hash.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace kernelloop {
namespace {

constexpr const char* k_answer_now = "There is no more reading in this conversation: answer now.";

// The first `limit` bytes, no character cut in two.
std::string cut(const std::string& text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return fmt::format("{}\n[{} more bytes are left out; ask for less]", text.substr(0, end),
                     text.size() - end);
}

}  // namespace

std::string marked_as_data(const std::string& tool, const std::string& text) {
  const std::string mark = sha256(text).substr(0, 12);
  return fmt::format("<data from=\"{}\" mark=\"{}\">\n{}\n</data mark=\"{}\">", tool, mark, text,
                     mark);
}

ToolBox::ToolBox(std::vector<ReadingTool*> tools, ToolLimits limits,
                 std::function<std::string(const std::string& text)> secret_in)
    : tools_(std::move(tools)), limits_(limits), secret_in_(std::move(secret_in)) {}

std::vector<ToolDeclaration> ToolBox::declarations() const {
  std::vector<ToolDeclaration> result;
  for (const ReadingTool* tool : tools_) result.push_back(tool->declaration());
  return result;
}

ToolOutput ToolBox::output_of(const ToolCall& call) const {
  if (!call.error.empty()) return {call.error, true};
  std::vector<std::string> names;
  for (ReadingTool* tool : tools_) {
    names.push_back(tool->declaration().name);
    if (names.back() == call.name) return tool->call(call.input);
  }
  return {fmt::format("there is no tool '{}'; there are: {}", call.name, fmt::join(names, ", ")),
          true};
}

std::vector<ToolResult> ToolBox::answer(const std::vector<ToolCall>& calls, int round,
                                        std::size_t spent_bytes) const {
  std::vector<ToolResult> results;
  for (const ToolCall& call : calls) {
    ToolResult result{call.id, call.name, {}, true};
    if (round > limits_.rounds || spent_bytes >= limits_.total_bytes) {
      result.text = k_answer_now;
      results.push_back(std::move(result));
      continue;
    }
    const ToolOutput output = output_of(call);
    const std::size_t room = std::min(limits_.result_bytes, limits_.total_bytes - spent_bytes);
    result.failed = output.failed;
    if (const std::string secret = secret_in_(output.text); !secret.empty()) {
      result.failed = true;
      result.text = fmt::format("this text is withheld: it holds {}", secret);
    } else {
      const std::string text = cut(output.text, room);
      result.text = output.failed ? text : marked_as_data(call.name, text);
    }
    spent_bytes += result.text.size();
    results.push_back(std::move(result));
  }
  const bool last = round == limits_.rounds || spent_bytes >= limits_.total_bytes;
  if (last && !results.empty() && results.back().text != k_answer_now) {
    results.back().text += fmt::format("\n{}", k_answer_now);
  }
  return results;
}

}  // namespace kernelloop
