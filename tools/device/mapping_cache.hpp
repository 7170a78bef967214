// The memories of earlier requests, still mapped.
#pragma once

#include "device/tensor_arena.hpp"

#include <cstddef>
#include <future>
#include <vector>

namespace kernelloop {

// Mapping hundreds of megabytes and unmapping them takes longer than most runs, and the same few
// memories come again and again. A memory lives for as long as it is mapped anywhere, so that its
// inode number belongs to no other one.
class MappingCache {
 public:
  // Memories that none of the last `requests` requests used are let go; with 0 none outlives its
  // own.
  explicit MappingCache(std::size_t requests) : requests_(requests) {}

  // Lets go what has not been used for long. What was handed out before may be gone after it.
  void begin_request();

  // The start of the memory, null for a size of 0. Throws Error(io) as Mapping does.
  std::byte* map(int descriptor, std::size_t size, bool writable);

  [[nodiscard]] std::size_t held() const noexcept { return entries_.size(); }

 private:
  struct Entry {
    unsigned long long device;
    unsigned long long inode;
    std::size_t size;
    bool writable;
    std::size_t last_used;  // number of the request
    Mapping mapping;
  };

  std::size_t requests_;
  std::size_t now_ = 0;
  std::vector<Entry> entries_;
  std::future<void> unmapping_;  // of large memories that were let go
};

}  // namespace kernelloop
