// Signs of life in a stream, how long servers ask to wait, and what is left out of long talks.
#include "propose/life_signs.hpp"
#include "propose/rate_limit.hpp"
#include "propose/shorten.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

bool alive(const std::string& text) {
  const bool whole = LifeSigns().feed(text);
  // However it is cut.
  LifeSigns signs;
  bool pieces = false;
  for (const char byte : text) pieces = signs.feed({&byte, 1}) || pieces;
  EXPECT_EQ(whole, pieces) << text;
  return whole;
}

TEST(LifeSigns, KeepAlivesAreNone) {
  for (const char* text :
       {"", "\n\n", ": keep-alive\n\n", ": OPENROUTER PROCESSING\r\n\r\n", ":", "   \n",
        "event: ping\ndata: {\"type\": \"ping\"}\n\n", "data: {\"type\":\"keepalive\"}\n\n"}) {
    EXPECT_FALSE(alive(text)) << text;
  }
  EXPECT_FALSE(alive(": " + std::string(500, 'x') + "\n"));
}

TEST(LifeSigns, AreWhatAModelSends) {
  for (const char* text :
       {"data: {\"choices\":[]}\n", "event: message_start\n", "{\n", ": ping\ndata: x\n\n"}) {
    EXPECT_TRUE(alive(text)) << text;
  }
  EXPECT_TRUE(alive("{\"content\": \"" + std::string(100, 'x'))) << "a long line that grows";
}

long wait_of(const std::map<std::string, std::string>& headers) {
  constexpr std::time_t k_now = 1'795'000'000;  // 2026-11-18T11:06:40Z
  const auto wait = asked_wait({429, headers, "", ""}, k_now);
  return wait ? wait->count() : -1;
}

TEST(AskedWait, ReadsTheHeadersOfEveryServer) {
  EXPECT_EQ(wait_of({{"retry-after", "Wed, 18 Nov 2026 11:07:10 GMT"}}), 30'000);
  EXPECT_EQ(wait_of({{"retry-after", "2"}, {"retry-after-ms", "1500"}}), 1500);
  EXPECT_EQ(wait_of({{"anthropic-ratelimit-tokens-remaining", "0"},
                     {"anthropic-ratelimit-tokens-reset", "2026-11-18T11:06:50Z"},
                     {"anthropic-ratelimit-requests-remaining", "3"},
                     {"anthropic-ratelimit-requests-reset", "2026-11-18T12:00:00Z"}}),
            10'000);
  EXPECT_EQ(
      wait_of({{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "6m0s"}}),
      360'000);
  EXPECT_EQ(wait_of({{"x-ratelimit-remaining-tokens", "0"}, {"x-ratelimit-reset-tokens", "12ms"}}),
            12);
  EXPECT_EQ(wait_of({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1795000020000"}}),
            20'000);
  EXPECT_EQ(wait_of({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1795000005"}}), 5'000);
  EXPECT_EQ(wait_of({{"retry-after", "1"},
                     {"x-ratelimit-remaining-tokens", "0"},
                     {"x-ratelimit-reset-tokens", "9s"}}),
            1'000);
}

TEST(AskedWait, TakesNothingFromWhatItCannotRead) {
  EXPECT_EQ(wait_of({}), -1);
  EXPECT_EQ(wait_of({{"x-ratelimit-remaining-tokens", "5"}, {"x-ratelimit-reset-tokens", "9s"}}),
            -1);
  for (const char* text : {"", "s", "5", "5x", "1m2", "-1s", "1s1"}) {
    EXPECT_EQ(wait_of({{"x-ratelimit-remaining-tokens", "0"}, {"x-ratelimit-reset-tokens", text}}),
              -1)
        << text;
  }
  EXPECT_EQ(wait_of({{"anthropic-ratelimit-tokens-remaining", "0"},
                     {"anthropic-ratelimit-tokens-reset", "soon"}}),
            -1);
}

TEST(Shorten, KeepsTheTaskTheLastAnswerAndTheLastQuestion) {
  std::vector<Turn> turns;
  for (const char* text : {"task", "a1", "q1", "a2", "q2"}) {
    turns.push_back({turns.size() % 2 == 0 ? Turn::Role::user : Turn::Role::assistant, text});
  }
  ASSERT_TRUE(shorten(turns));
  ASSERT_EQ(turns.size(), 3u);
  EXPECT_EQ(turns[0].text, "task");
  EXPECT_EQ(turns[1].text, "a2");
  EXPECT_EQ(turns[2].text, "q2");
  EXPECT_FALSE(shorten(turns)) << "nothing more to leave out";
}

TEST(Shorten, CutsWhatWasReadButKeepsEveryResult) {
  std::vector<Turn> turns{
      {Turn::Role::user, "task"},
      {Turn::Role::assistant, "", {{"t1", "look", {}, ""}, {"t2", "look", {}, ""}}},
      {Turn::Role::user,
       "",
       {},
       {{"t1", "look", std::string(5000, 'x'), false}, {"t2", "look", "short", false}}}};
  ASSERT_TRUE(shorten(turns));
  ASSERT_EQ(turns[2].tool_results.size(), 2u);
  EXPECT_LT(turns[2].tool_results[0].text.size(), 1100u);
  EXPECT_THAT(turns[2].tool_results[0].text, testing::HasSubstr("left out"));
  EXPECT_EQ(turns[2].tool_results[1].text, "short");
  EXPECT_FALSE(shorten(turns));
}

}  // namespace
}  // namespace kernelloop
