#include "propose/sse.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

std::string shown(const std::vector<SseEvent>& events) {
  std::string text;
  for (const SseEvent& event : events) text += "<" + event.name + "|" + event.data + ">";
  return text;
}

struct Stream {
  const char* name;
  std::string bytes;
  std::string events;
};

const std::vector<Stream>& streams() {
  static const std::vector<Stream> list{
      {"named", "event: a\ndata: 1\n\nevent: b\ndata: 2\n\n", "<a|1><b|2>"},
      {"without_space", "data:1\n\n", "<|1>"},
      {"one_space_only", "data:  1\n\n", "<| 1>"},
      {"many_lines_join", "data: 1\ndata: 2\ndata:\n\n", "<|1\n2\n>"},
      {"carriage_returns", "event: a\rdata: 1\r\rdata: 2\r\r", "<a|1><|2>"},
      {"both_line_ends", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", "<a|1><|2>"},
      {"mixed_line_ends", "data: 1\r\n\ndata: 2\n\r\n", "<|1><|2>"},
      {"comments_give_nothing", ": ping\n\n:\n\ndata: 1\n\n", "<|1>"},
      {"unknown_fields", "id: 7\nretry: 5\nnonsense\ndata: 1\n\n", "<|1>"},
      {"name_without_data", "event: a\n\ndata: 1\n\n", "<|1>"},
      {"byte_order_mark",
       "\xEF\xBB\xBF"
       "data: 1\n\n",
       "<|1>"},
      {"last_event_unclosed", "data: 1\n\ndata: 2", "<|1><|2>"},
      {"colons_in_data", "data: {\"a\":\"b\"}\n\n", "<|{\"a\":\"b\"}>"},
      {"letters_of_two_bytes", "data: \xC3\xA4\xE2\x82\xAC\n\n", "<|\xC3\xA4\xE2\x82\xAC>"},
      {"data_without_colon", "data\n\n", "<|>"}};
  return list;
}

class SseStreams : public testing::TestWithParam<Stream> {};

TEST_P(SseStreams, AreTheSameWhereverTheyAreCut) {
  const std::string& bytes = GetParam().bytes;
  EXPECT_EQ(shown(parse_sse(bytes)), GetParam().events);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    SseParser parser;
    std::string events = shown(parser.feed(bytes.substr(0, cut)));
    events += shown(parser.feed(bytes.substr(cut)));
    events += shown(parser.finish());
    EXPECT_EQ(events, GetParam().events) << "cut at " << cut;
  }
  SseParser parser;
  std::string events;
  for (const char byte : bytes) events += shown(parser.feed({&byte, 1}));
  EXPECT_EQ(events + shown(parser.finish()), GetParam().events) << "byte by byte";
}

INSTANTIATE_TEST_SUITE_P(All, SseStreams, testing::ValuesIn(streams()),
                         [](const auto& each) { return each.param.name; });

TEST(Sse, IsToldFromJsonByTheBody) {
  EXPECT_TRUE(looks_like_sse("\n\ndata: {}\n\n"));
  EXPECT_TRUE(looks_like_sse(": comment\n\n"));
  EXPECT_TRUE(looks_like_sse("event: x\n"));
  EXPECT_FALSE(looks_like_sse("{\"data\": 1}"));
  EXPECT_FALSE(looks_like_sse("  [1]"));
  EXPECT_FALSE(looks_like_sse(""));
  EXPECT_FALSE(looks_like_sse("<html>data:</html>"));
}

}  // namespace
}  // namespace kernelloop
