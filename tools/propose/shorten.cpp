#include "propose/shorten.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelloop {
namespace {

constexpr std::size_t k_kept_bytes = 1024;  // of one result
constexpr std::string_view k_note = "\n[left out: the conversation had become too long]";

bool shorten_results(std::vector<Turn>& turns) {
  bool any = false;
  for (Turn& turn : turns) {
    for (ToolResult& result : turn.tool_results) {
      if (result.text.size() <= k_kept_bytes + k_note.size()) continue;
      std::size_t end = k_kept_bytes;
      while (end > 0 && (static_cast<unsigned char>(result.text[end]) & 0xC0u) == 0x80u) --end;
      result.text = result.text.substr(0, end) + std::string(k_note);
      any = true;
    }
  }
  return any;
}

}  // namespace

bool shorten(std::vector<Turn>& turns) {
  constexpr std::size_t k_kept_turns = 3;
  const bool answers_calls = !turns.empty() && !turns.back().tool_results.empty();
  if (answers_calls || turns.size() <= k_kept_turns) return shorten_results(turns);
  turns.erase(turns.begin() + 1, turns.end() - 2);
  return true;
}

}  // namespace kernelloop
