// A small process that makes contained calls: each in a child of its own, as contained_call does.
//
// A fork copies the page tables of whoever forks, and a child that loads a C++ library loads the
// language's runtime first. A process that holds gigabytes takes milliseconds for that, this one,
// forked while its owner is small, some tenths of one: for the many small calls of a ladder that is
// all they take.
#pragma once

#include "support/descriptor.hpp"
#include "support/memory_block.hpp"

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kernelloop {

class CallServer {
 public:
  // The server's children see the owner's memory as it was when the server started, and their room.
  // So a body is a function of this program, which looks at nothing but `argument` and what that
  // points to, all of it in the room. What it returns is an error text, empty for success.
  using Body = std::string (*)(const void* argument);

  // Throws Error(io) when there is no memory.
  CallServer();
  ~CallServer();
  CallServer(const CallServer&) = delete;
  CallServer& operator=(const CallServer&) = delete;

  // Starts the process, unless it runs, as the first call does otherwise: better while this one is
  // small. It ends with this one, however that ends. Throws Error(environment) when there is no
  // process to be had.
  void start();

  // Memory that the caller and the child of one call share, at the same address; it holds whatever
  // it held before. Other rooms are out of a child's reach.
  static constexpr std::size_t k_room_bytes = std::size_t{4} << 20;
  class Room {
   public:
    // One that nobody else has; waits for it. Any thread may have some, and call.
    explicit Room(CallServer& server) : server_(server), number_(server.take_room()) {}
    ~Room() { server_.give_back(number_); }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    [[nodiscard]] std::span<std::byte> memory() const { return server_.memory_of(number_); }

    // As contained_call: returns what `body` does, or how the child ended otherwise.
    [[nodiscard]] std::string call(Body body, const void* argument,
                                   std::chrono::milliseconds timeout) {
      return server_.call(number_, body, argument, timeout);
    }

   private:
    CallServer& server_;
    std::size_t number_;
  };

 private:
  struct Request;
  struct Reply;
  struct Child {
    pid_t id;      // -1: it has ended its server before that could tell
    pid_t server;  // it is a child of this one
  };

  [[nodiscard]] std::span<std::byte> memory_of(std::size_t room) const;
  std::size_t take_room();
  void give_back(std::size_t room);
  std::string call(std::size_t room, Body body, const void* argument,
                   std::chrono::milliseconds timeout);
  Child begin(const Request& request, int report, int output);
  int end(const Child& child);

  // The caller of these holds `server_mutex_`.
  void start_process();
  void stop_process() noexcept;
  // Nothing when the server is gone.
  std::optional<Reply> ask(const Request& request, int report, int output);
  [[noreturn]] void serve(int channel) const;

  MemoryBlock memory_;  // of all rooms
  std::mutex rooms_mutex_;
  std::condition_variable room_free_;
  std::vector<std::size_t> free_rooms_;

  std::mutex server_mutex_;
  pid_t server_ = -1;
  Descriptor channel_;
};

}  // namespace kernelloop
