#include "propose/sse.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kernelloop {
namespace {

constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

std::vector<SseEvent> SseParser::feed(std::string_view bytes) {
  std::vector<SseEvent> events;
  for (const char byte : bytes) take_byte(byte, events);
  return events;
}

std::vector<SseEvent> SseParser::finish() {
  std::vector<SseEvent> events;
  if (!line_.empty()) take_line(events);
  dispatch(events);
  return events;
}

void SseParser::take_byte(char byte, std::vector<SseEvent>& events) {
  const bool second_half = after_return_ && byte == '\n';
  after_return_ = byte == '\r';
  if (second_half) return;
  if (byte == '\n' || byte == '\r') {
    take_line(events);
  } else {
    line_ += byte;
  }
}

void SseParser::take_line(std::vector<SseEvent>& events) {
  const std::string whole = std::exchange(line_, {});
  std::string_view line = whole;
  if (std::exchange(first_line_, false) &&
      line.substr(0, k_byte_order_mark.size()) == k_byte_order_mark) {
    line.remove_prefix(k_byte_order_mark.size());
  }
  if (line.empty()) {
    dispatch(events);
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value =
      colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (field == "event") {
    name_ = value;
  } else if (field == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
}

void SseParser::dispatch(std::vector<SseEvent>& events) {
  if (has_data_) events.push_back({name_, data_});
  name_.clear();
  data_.clear();
  has_data_ = false;
}

std::vector<SseEvent> parse_sse(std::string_view text) {
  SseParser parser;
  std::vector<SseEvent> events = parser.feed(text);
  for (SseEvent& event : parser.finish()) events.push_back(std::move(event));
  return events;
}

bool looks_like_sse(std::string_view body) {
  if (body.substr(0, k_byte_order_mark.size()) == k_byte_order_mark) {
    body.remove_prefix(k_byte_order_mark.size());
  }
  const std::size_t start = body.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  body.remove_prefix(start);
  constexpr std::array<std::string_view, 5> k_starts{"data:", "event:", ":", "id:", "retry:"};
  for (const std::string_view mark : k_starts) {
    // The beginning of a mark, and nothing after it, is a stream that was cut off there.
    const std::size_t length = std::min(mark.size(), body.size());
    if (body.substr(0, length) == mark.substr(0, length)) return true;
  }
  return false;
}

}  // namespace kernelloop
