#include "device/channel.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <thread>

namespace kernelloop {
namespace {

struct Ends {
  Channel left;
  Channel right;
};

Ends make_ends() {
  std::array<int, 2> sockets{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  return {Channel(Descriptor(sockets[0])), Channel(Descriptor(sockets[1]))};
}

Deadline in_seconds(int seconds) {
  return std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
}

Message receive(Channel& channel) {
  Channel::Progress progress = Channel::Progress::more;
  while (progress == Channel::Progress::more) progress = channel.read_some();
  EXPECT_EQ(progress, Channel::Progress::message);
  return channel.take();
}

TEST(Channel, MessagesArriveWholeAndInOrder) {
  Ends ends = make_ends();
  const std::string large(3 << 20, 'x');  // far more than a socket buffers
  std::thread sender([&] {
    EXPECT_TRUE(ends.left.send("first", {}, in_seconds(60)));
    EXPECT_TRUE(ends.left.send(large, {}, in_seconds(60)));
    EXPECT_TRUE(ends.left.send("", {}, in_seconds(60)));
  });
  EXPECT_EQ(receive(ends.right).text, "first");
  EXPECT_EQ(receive(ends.right).text, large);
  EXPECT_EQ(receive(ends.right).text, "");
  sender.join();
}

TEST(Channel, MessagesThatArriveInOnePieceDoNotWaitForMore) {
  Ends ends = make_ends();
  ASSERT_TRUE(ends.left.send("first", {}, in_seconds(60)));
  ASSERT_TRUE(ends.left.send("", {}, in_seconds(60)));
  EXPECT_EQ(receive(ends.right).text, "first");
  EXPECT_EQ(receive(ends.right).text, "");
}

TEST(Channel, DescriptorsTravelWithTheirMessage) {
  Ends ends = make_ends();
  const Descriptor memory(::memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(::write(memory.get(), "hello", 5), 5);
  ASSERT_TRUE(ends.left.send("take this", {memory.get()}, in_seconds(60)));
  const Message message = receive(ends.right);
  EXPECT_EQ(message.text, "take this");
  ASSERT_EQ(message.descriptors.size(), 1u);
  EXPECT_NE(message.descriptors[0].get(), memory.get());
  std::array<char, 5> text{};
  ASSERT_EQ(::pread(message.descriptors[0].get(), text.data(), text.size(), 0), 5);
  EXPECT_EQ(std::string(text.data(), text.size()), "hello");
}

TEST(Channel, AClosedEndIsNoticedOnBothSides) {
  Ends ends = make_ends();
  { const Channel gone = std::move(ends.right); }
  EXPECT_EQ(ends.left.read_some(), Channel::Progress::closed);
  EXPECT_FALSE(ends.left.send("anyone there?", {}, in_seconds(60)));
}

TEST(Channel, AReaderThatSleepsDoesNotHoldTheSenderForEver) {
  Ends ends = make_ends();
  const std::string large(8 << 20, 'x');
  EXPECT_FALSE(
      ends.left.send(large, {}, std::chrono::steady_clock::now() + std::chrono::milliseconds(50)));
}

TEST(Channel, GarbageInsteadOfALengthClosesIt) {
  std::array<int, 2> sockets{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  const Descriptor raw(sockets[0]);
  Channel channel{Descriptor(sockets[1])};
  ASSERT_EQ(::write(raw.get(), "\xff\xff\xff\xff", 4), 4);
  EXPECT_EQ(channel.read_some(), Channel::Progress::closed);
}

}  // namespace
}  // namespace kernelloop
