// Messages between parent and worker: a length, a text, and file descriptors that travel along.
#pragma once

#include "support/descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

using Deadline = std::chrono::steady_clock::time_point;

struct Message {
  std::string text;
  std::vector<Descriptor> descriptors;
};

// One end of a socket pair. Not thread-safe.
class Channel {
 public:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }

  // Sends all of it. False when the other side is gone or does not read until the deadline.
  bool send(std::string_view text, const std::vector<int>& descriptors, Deadline deadline);

  enum class Progress { message, more, closed };
  // Reads once (waits when nothing is there) and says whether a whole message has come.
  Progress read_some();
  // The message after Progress::message.
  Message take();

 private:
  Descriptor socket_;
  std::string received_;
  std::vector<Descriptor> descriptors_;
};

}  // namespace kernelloop
