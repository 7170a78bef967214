// Where a call of a reference is made: a small one in a room of the call server, a large one in a
// child of this process, which sees this process's memory as it is.
#pragma once

#include "support/memory_block.hpp"
#include "verify/call_memory.hpp"
#include "verify/call_server.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>

namespace kernelloop {

class CallSite {
 public:
  // `bytes` of tensors and of what the call makes of them. Waits for a room where that is small.
  // `server` must outlive the site.
  CallSite(std::size_t bytes, CallServer& server);

  [[nodiscard]] bool small() const noexcept { return room_.has_value(); }
  CallMemory& memory() noexcept { return memory_; }

  // Where the call sees the values of an input.
  std::span<const double> input(std::span<const double> values);
  // Zeros that the call may write and that are seen here.
  std::span<double> zeros(std::size_t count);

  // `argument` lies in `memory`. Returns as contained_call does.
  [[nodiscard]] std::string call(CallServer::Body body, const void* argument,
                                 std::chrono::milliseconds timeout);

 private:
  std::optional<CallServer::Room> room_;
  CallMemory memory_;
  std::deque<MemoryBlock> blocks_;
};

}  // namespace kernelloop
