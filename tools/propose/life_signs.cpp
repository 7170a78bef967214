#include "propose/life_signs.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kernelloop {
namespace {

// Enough of a line to know a ping by; a longer one is something else.
constexpr std::size_t k_beginning = 64;

bool keeps_alive_only(const std::string& line) {
  std::string text;
  std::copy_if(line.begin(), line.end(), std::back_inserter(text),
               [](unsigned char c) { return std::isspace(c) == 0; });
  if (text.empty() || text.front() == ':') return true;
  constexpr std::array<std::string_view, 4> k_pings{
      "event:ping", "event:keepalive", "data:{\"type\":\"ping\"", "data:{\"type\":\"keepalive\""};
  return std::any_of(k_pings.begin(), k_pings.end(), [&](std::string_view ping) {
    return text.compare(0, ping.size(), ping) == 0;
  });
}

}  // namespace

bool LifeSigns::feed(std::string_view bytes) {
  bool alive = false;
  for (const char byte : bytes) {
    if (byte == '\n' || byte == '\r') {
      alive = alive || (!counted_ && !keeps_alive_only(line_));
      line_.clear();
      counted_ = false;
    } else if (line_.size() < k_beginning) {
      line_ += byte;
    } else if (counted_ || !keeps_alive_only(line_)) {
      counted_ = true;  // a long line lives as long as it grows
      alive = true;
    }
  }
  return alive;
}

}  // namespace kernelloop
