// The event-stream parser: cut anywhere, the events are the same.
#include "propose/sse.hpp"

#include "promise.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelloop;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<SseEvent> whole = parse_sse(text);
  const std::size_t cut = size == 0 ? 0 : data[0] % size;
  SseParser parser;
  std::vector<SseEvent> pieces = parser.feed(text.substr(0, cut));
  for (SseEvent& event : parser.feed(text.substr(cut))) pieces.push_back(std::move(event));
  for (SseEvent& event : parser.finish()) pieces.push_back(std::move(event));
  promise(whole.size() == pieces.size(), "a cut changes the number of events");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    promise(whole[i].name == pieces[i].name && whole[i].data == pieces[i].data,
            "a cut changes an event");
  }
  looks_like_sse(text);
  return 0;
}
