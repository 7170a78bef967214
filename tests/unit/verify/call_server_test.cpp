#include "verify/call_server.hpp"

#include "support/process_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::chrono::milliseconds k_patience{60000};

std::string add_one(const void* argument) {
  ++*const_cast<int*>(static_cast<const int*>(argument));
  return {};
}
std::string complain(const void* /*argument*/) { return "has lost its tables"; }
std::string crash(const void* /*argument*/) {
  std::raise(SIGSEGV);
  return {};
}
std::string leave(const void* /*argument*/) { std::_Exit(7); }
std::string hang(const void* /*argument*/) {
  for (;;) ::pause();
}
std::string print_and_crash(const void* /*argument*/) {
  std::puts("row 3 takes long");
  std::fflush(stdout);
  std::raise(SIGSEGV);
  return {};
}
std::string print(const void* /*argument*/) {
  std::puts("row 3 looks odd");
  return {};
}
std::string leave_a_thread(const void* /*argument*/) {
  std::thread([] {
    for (;;) ::pause();
  }).detach();
  return {};
}
std::string kill_the_server(const void* /*argument*/) {
  ::kill(::getppid(), SIGKILL);
  for (;;) ::pause();
}
std::string count_calls(const void* argument) {
  static int calls = 0;
  *const_cast<int*>(static_cast<const int*>(argument)) = ++calls;
  return {};
}
std::string list_descriptors(const void* argument) {
  std::string open;
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) open += std::to_string(descriptor) + " ";
  }
  open.copy(const_cast<char*>(static_cast<const char*>(argument)), open.size());
  return {};
}
std::string write_into_the_next_room(const void* argument) {
  *(const_cast<char*>(static_cast<const char*>(argument)) + CallServer::k_room_bytes) = 1;
  return {};
}

std::string call(CallServer& server, CallServer::Body body,
                 std::chrono::milliseconds timeout = k_patience) {
  CallServer::Room room(server);
  return room.call(body, room.memory().data(), timeout);
}

int number_after(CallServer& server, CallServer::Body body, int before) {
  CallServer::Room room(server);
  int& number = *reinterpret_cast<int*>(room.memory().data());
  number = before;
  EXPECT_EQ(room.call(body, &number, k_patience), "");
  return number;
}

TEST(CallServer, HandsBackWhatACallWritesIntoItsRoom) {
  CallServer server;
  EXPECT_EQ(number_after(server, add_one, 41), 42);
  EXPECT_EQ(number_after(server, add_one, -1), 0);
}

TEST(CallServer, SaysHowACallFailedAndMakesTheNextOne) {
  CallServer server;
  EXPECT_EQ(call(server, complain), "has lost its tables");
  EXPECT_THAT(call(server, crash), StartsWith("crashed with signal 11 (Segmentation fault)"));
  EXPECT_EQ(call(server, leave), "ended the process with exit code 7");
  EXPECT_THAT(call(server, hang, std::chrono::milliseconds(100)),
              StartsWith("did not end within 0.1 s ("));
  EXPECT_EQ(number_after(server, add_one, 1), 2);
}

TEST(CallServer, WhatACallPrintsBelongsToIt) {
  CallServer server;
  EXPECT_THAT(call(server, print_and_crash), HasSubstr("; it printed: row 3 takes long"));
  EXPECT_THAT(call(server, crash), testing::Not(HasSubstr("row 3")));
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(server, print), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "row 3 looks odd\n");
}

TEST(CallServer, EveryCallFindsTheStateOfTheFirst) {
  CallServer server;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(number_after(server, count_calls, 0), 1);
}

TEST(CallServer, AThreadThatIsLeftBehindGoesWithTheCall) {
  CallServer server;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call(server, leave_a_thread), "");
  // This process and the server.
  EXPECT_EQ(process_tree(::getpid(), 100).processes, 2U);
}

TEST(CallServer, StartsAnewWhenItIsKilled) {
  CallServer server;
  EXPECT_EQ(call(server, kill_the_server), "crashed with signal 9 (Killed)");
  EXPECT_EQ(number_after(server, add_one, 1), 2);
}

TEST(CallServer, OutlivesTheThreadThatStartedIt) {
  CallServer server;
  std::thread([&] { server.start(); }).join();
  const std::vector<pid_t> family = family_of(::getpid(), 100);
  EXPECT_EQ(number_after(server, add_one, 1), 2);
  EXPECT_EQ(family_of(::getpid(), 100), family);
}

TEST(CallServer, GivesACallNoFilesButItsOwn) {
  const int open = ::open("/dev/null", O_RDONLY);
  ASSERT_GE(open, 3);
  CallServer server;
  CallServer::Room room(server);
  auto* const text = reinterpret_cast<char*>(room.memory().data());
  std::fill_n(text, 64, '\0');
  EXPECT_EQ(room.call(list_descriptors, text, k_patience), "");
  EXPECT_STREQ(text, "0 1 2 3 ");
  ::close(open);
}

TEST(CallServer, KeepsOtherRoomsOutOfReach) {
  CallServer server;
  EXPECT_THAT(call(server, write_into_the_next_room), StartsWith("crashed with signal 11"));
}

TEST(CallServer, MakesTheCallsOfManyThreads) {
  CallServer server;
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 24; ++thread) {  // more than there are rooms
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 10; ++i) {
        if (thread % 4 == 3) {
          if (call(server, crash).rfind("crashed with signal 11", 0) == 0) ++right;
        } else if (number_after(server, add_one, 100 * thread + i) == 100 * thread + i + 1) {
          ++right;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 240);
}

TEST(CallServer, CallsInFlightEndWithAServerThatIsKilled) {
  CallServer server;
  std::string other;
  std::thread waits([&] { other = call(server, hang); });
  while (process_tree(::getpid(), 100).processes < 3) std::this_thread::yield();
  EXPECT_EQ(call(server, kill_the_server), "crashed with signal 9 (Killed)");
  waits.join();
  EXPECT_EQ(other, "crashed with signal 9 (Killed)");
}

TEST(CallServer, EndsWithAnOwnerThatIsKilled) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // who loses its parent becomes a child here
  const pid_t owner = ::fork();
  if (owner == 0) {
    CallServer server;
    call(server, hang);
    ::_exit(0);
  }
  std::vector<pid_t> family;  // the owner, its server, the call
  while (family.size() < 3) family = family_of(owner, 100);
  ::kill(owner, SIGKILL);
  for (const pid_t process : family) EXPECT_EQ(::waitpid(process, nullptr, 0), process);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace kernelloop
