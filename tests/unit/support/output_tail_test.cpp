#include "support/output_tail.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

namespace kernelloop {
namespace {

TEST(OutputTail, KeepsTheEndAndCountsAll) {
  OutputTail tail;
  const std::string line = std::string(999, 'a') + "\n";
  for (int i = 0; i < 1000; ++i) tail.append(line);
  tail.append("the end");
  EXPECT_EQ(tail.bytes(), 1000007u);
  EXPECT_LE(tail.text().size(), std::size_t{128} << 10);
  EXPECT_GE(tail.text().size(), std::size_t{64} << 10);
  EXPECT_TRUE(tail.text().ends_with("a\nthe end"));
  tail.clear();
  EXPECT_EQ(tail.bytes(), 0u);
  EXPECT_EQ(tail.text(), "");
}

TEST(OutputTail, DrainsWhatThereIsAndTellsTheEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  OutputTail tail;
  EXPECT_TRUE(tail.drain(ends[0]));
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  EXPECT_TRUE(tail.drain(ends[0]));
  EXPECT_EQ(tail.text(), "abc");
  ::close(ends[1]);
  EXPECT_FALSE(tail.drain(ends[0]));
  ::close(ends[0]);
}

TEST(Printed, ShowsTheEndWithoutWhatATerminalWouldObey) {
  EXPECT_EQ(printed(""), "");
  EXPECT_EQ(printed("\n\n"), "");
  EXPECT_EQ(printed("a\tb\x1b[2J\xff\n"), "; it printed: a\tb?[2J?");
  EXPECT_EQ(printed(std::string(5000, 'x') + "end").size(), 1500u + 14u);
}

}  // namespace
}  // namespace kernelloop
