// Server-sent events, parsed from bytes cut anywhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct SseEvent {
  std::string name;  // of the `event:` field; empty when there is none
  std::string data;  // `data:` lines joined with line feeds
};

class SseParser {
 public:
  // The events that `bytes` complete. Comments and events without data give none. Line ends are
  // \n, \r\n or \r, also mixed.
  std::vector<SseEvent> feed(std::string_view bytes);

  // At the end of the stream: a last event that no blank line closed.
  std::vector<SseEvent> finish();

 private:
  void take_byte(char byte, std::vector<SseEvent>& events);
  void take_line(std::vector<SseEvent>& events);
  void dispatch(std::vector<SseEvent>& events);

  std::string line_;
  std::string name_;
  std::string data_;
  bool has_data_ = false;
  bool after_return_ = false;
  bool first_line_ = true;
};

// All events of a whole stream.
std::vector<SseEvent> parse_sse(std::string_view text);

// Whether a body looks like an event stream, or the beginning of one, and not like JSON; content
// types lie.
bool looks_like_sse(std::string_view body);

}  // namespace kernelloop
