#include "verify/call_server.hpp"

#include "support/error.hpp"
#include "support/loader_lock.hpp"
#include "support/parallel.hpp"
#include "verify/contained_child.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <utility>

namespace kernelloop {

// What goes through the channel, one of each at a time.
struct CallServer::Request {
  pid_t ended = -1;  // this child is to be killed and buried; -1: one is to be made
  std::size_t room = 0;
  Body body = nullptr;
  const void* argument = nullptr;
};
struct CallServer::Reply {
  pid_t child = -1;
  int error = 0;   // why there is none
  int status = 0;  // of one that was buried
};

namespace {

constexpr int k_channel_in_server = 3;
// The descriptors that come with a request for a child.
using Ends = std::array<int, 2>;

struct Message {
  explicit Message(void* data, std::size_t size) : part{data, size} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
  iovec part;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Ends))> control{};
  msghdr header{};
};

bool send_message(int channel, void* data, std::size_t size, const Ends& ends) {
  Message message(data, size);
  if (ends[0] < 0) {
    message.header.msg_control = nullptr;
    message.header.msg_controllen = 0;
  } else {
    cmsghdr* const attached = CMSG_FIRSTHDR(&message.header);
    attached->cmsg_level = SOL_SOCKET;
    attached->cmsg_type = SCM_RIGHTS;
    attached->cmsg_len = CMSG_LEN(sizeof ends);
    std::memcpy(CMSG_DATA(attached), ends.data(), sizeof ends);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(channel, &message.header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(size);
}

// False at the end of the channel.
bool receive_message(int channel, void* data, std::size_t size, Ends& ends) {
  Message message(data, size);
  ssize_t got = 0;
  do {
    got = ::recvmsg(channel, &message.header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const attached = CMSG_FIRSTHDR(&message.header);
  ends = {-1, -1};
  if (attached != nullptr && attached->cmsg_type == SCM_RIGHTS) {
    std::memcpy(ends.data(), CMSG_DATA(attached), sizeof ends);
  }
  return got == static_cast<ssize_t>(size);
}

std::size_t room_count() { return std::clamp<std::size_t>(core_count() + 2, 4, 16); }

void unmap(std::span<std::byte> memory) {
  if (!memory.empty()) ::munmap(memory.data(), memory.size());
}

}  // namespace

CallServer::CallServer()
    : memory_(room_count() * k_room_bytes, MemoryBlock::Kind::shared), free_rooms_(room_count()) {
  // The first one first: what was touched before costs no page faults.
  std::iota(free_rooms_.rbegin(), free_rooms_.rend(), std::size_t{0});
}

CallServer::~CallServer() { stop_process(); }

void CallServer::start() {
  const std::lock_guard<std::mutex> lock(server_mutex_);
  if (server_ < 0) start_process();
}

void CallServer::start_process() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail(ExitCode::environment, "cannot create a socket pair: {}", std::strerror(errno));
  }
  channel_ = Descriptor(ends[0]);
  const Descriptor theirs(ends[1]);
  std::fflush(nullptr);  // lest a child print what waits here
  {
    const std::lock_guard<std::mutex> lock(loader_mutex());
    server_ = ::fork();
  }
  if (server_ < 0) {
    fail(ExitCode::environment, "cannot start a process: {}", std::strerror(errno));
  }
  if (server_ == 0) serve(theirs.get());
  ::setpgid(server_, server_);  // both sides do it, so that neither can be too early
}

void CallServer::stop_process() noexcept {
  channel_.reset();
  if (server_ > 0) kill_and_wait(std::exchange(server_, -1));
}

// It does not ask to be killed with its parent, as its children do: that would be with the thread
// that started it. The end of the channel is its end, and it never does anything that takes long.
void CallServer::serve(int channel) const {
  ::setpgid(0, 0);
  // The rest of a line that somebody prints in vain goes to where the owner's goes.
  const std::array<int, 4> kept{STDIN_FILENO, STDERR_FILENO, STDERR_FILENO, channel};
  static_assert(kept.size() == k_channel_in_server + 1);
  keep_only(kept.data(), kept.size());
  // Most of what loading a reference takes is this, and none of it is the reference's.
  for (const char* runtime : {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1"}) {
    ::dlopen(runtime, RTLD_NOW | RTLD_LOCAL);
  }
  const pid_t self = ::getpid();
  Request request;
  Ends ends{};
  while (receive_message(k_channel_in_server, &request, sizeof request, ends)) {
    Reply reply;
    if (request.ended >= 0) {
      reply.status = kill_and_wait(request.ended);
    } else {
      reply.child = ::fork();
      if (reply.child < 0) reply.error = errno;
      if (reply.child == 0) {
        const std::span<std::byte> all = memory_.as<std::byte>();
        unmap(all.first(request.room * k_room_bytes));
        unmap(all.subspan((request.room + 1) * k_room_bytes));
        become_contained([&] { return request.body(request.argument); }, ends[0], ends[1], self);
      }
      if (reply.child > 0) ::setpgid(reply.child, reply.child);
      for (const int end : ends) ::close(end);
    }
    if (!send_message(k_channel_in_server, &reply, sizeof reply, {-1, -1})) break;
  }
  ::_exit(0);
}

std::optional<CallServer::Reply> CallServer::ask(const Request& request, int report, int output) {
  Request sent = request;
  Reply reply;
  Ends none{};
  if (!send_message(channel_.get(), &sent, sizeof sent, {report, output}) ||
      !receive_message(channel_.get(), &reply, sizeof reply, none)) {
    return std::nullopt;
  }
  return reply;
}

CallServer::Child CallServer::begin(const Request& request, int report, int output) {
  const std::lock_guard<std::mutex> lock(server_mutex_);
  if (server_ < 0) start_process();
  std::optional<Reply> reply = ask(request, report, output);
  if (!reply) {  // somebody killed it: its children have gone with it
    stop_process();
    start_process();
    reply = ask(request, report, output);
  }
  if (!reply) return {-1, -1};  // gone at once again: that is what the call does
  if (reply->child < 0) {
    fail(ExitCode::environment, "cannot start a process: {}", std::strerror(reply->error));
  }
  return {reply->child, server_};
}

int CallServer::end(const Child& child) {
  const std::lock_guard<std::mutex> lock(server_mutex_);
  Request request;
  request.ended = child.id;
  if (child.id >= 0 && child.server == server_) {
    if (const std::optional<Reply> reply = ask(request, -1, -1)) return reply->status;
  }
  return SIGKILL;  // as it is with a child whose server has gone
}

std::string CallServer::call(std::size_t room, Body body, const void* argument,
                             std::chrono::milliseconds timeout) {
  CallPipes pipes = make_call_pipes();
  const Child child =
      begin({-1, room, body, argument}, pipes.report.write.get(), pipes.output.write.get());
  pipes.report.write.reset();
  pipes.output.write.reset();
  return await_contained(child.id, pipes, timeout, [&] { return end(child); });
}

std::size_t CallServer::take_room() {
  std::unique_lock<std::mutex> lock(rooms_mutex_);
  room_free_.wait(lock, [&] { return !free_rooms_.empty(); });
  const std::size_t number = free_rooms_.back();
  free_rooms_.pop_back();
  return number;
}

std::span<std::byte> CallServer::memory_of(std::size_t room) const {
  return memory_.as<std::byte>().subspan(room * k_room_bytes, k_room_bytes);
}

void CallServer::give_back(std::size_t room) {
  {
    const std::lock_guard<std::mutex> lock(rooms_mutex_);
    free_rooms_.push_back(room);
  }
  room_free_.notify_one();
}

}  // namespace kernelloop
