#include "support/memory_block.hpp"

#include "support/error.hpp"
#include "support/parallel.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace kernelloop {
namespace {

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

constexpr std::size_t k_page = 4096;
constexpr std::int64_t k_populated_at_once = 4 << 20;

std::size_t mapped_size(std::size_t bytes) { return std::max<std::size_t>(bytes, 1); }

}  // namespace

bool populate(std::span<std::byte> memory, bool writing) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = (address + k_page - 1) / k_page * k_page;
  const std::uintptr_t last = (address + memory.size()) / k_page * k_page;
  if (last <= first) return true;
  const auto bytes = static_cast<std::int64_t>(last - first);
  const std::int64_t pieces = (bytes + k_populated_at_once - 1) / k_populated_at_once;
  std::atomic<bool> good{true};
  detail::parallel_for(pieces, core_count(), [&](std::int64_t piece) {
    const std::int64_t begin = piece * k_populated_at_once;
    const std::int64_t size = std::min(k_populated_at_once, bytes - begin);
    if (::madvise(reinterpret_cast<void*>(first + static_cast<std::uintptr_t>(begin)),
                  static_cast<std::size_t>(size),
                  writing ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) != 0) {
      good = false;
    }
  });
  return good;
}

MemoryBlock::MemoryBlock(std::size_t bytes, Kind kind) : bytes_(bytes) {
  const int sharing = kind == Kind::shared ? MAP_SHARED : MAP_PRIVATE;
  data_ = ::mmap(nullptr, mapped_size(bytes), PROT_READ | PROT_WRITE,
                 sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data_ == MAP_FAILED) {
    data_ = nullptr;
    fail(ExitCode::io, "cannot get {} MB of memory: {}; verify smaller shapes or free some",
         bytes >> 20, std::strerror(errno));
  }
  // Fewer page faults where the system offers them; no harm where it does not.
  ::madvise(data_, mapped_size(bytes), MADV_HUGEPAGE);
}

MemoryPool::~MemoryPool() {
  detail::parallel_for(static_cast<std::int64_t>(free_.size()), free_.size(),
                       [&](std::int64_t block) { free_[static_cast<std::size_t>(block)] = {}; });
}

MemoryPool::Lease::~Lease() {
  if (pool_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(pool_->mutex_);
  pool_->free_.push_back(std::move(block_));
}

MemoryPool::Lease MemoryPool::take(std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto size = [](const MemoryBlock& block) { return block.as<std::byte>().size(); };
  auto best = free_.end();
  for (auto block = free_.begin(); block != free_.end(); ++block) {
    if (size(*block) < bytes) continue;
    if (best == free_.end() || size(*block) < size(*best)) best = block;
  }
  if (best == free_.end()) {
    // What is too small now is unlikely to be wanted again.
    free_.clear();
    return {shared_from_this(), MemoryBlock(bytes, kind_)};
  }
  MemoryBlock block = std::move(*best);
  free_.erase(best);
  return {shared_from_this(), std::move(block)};
}

MemoryBlock::~MemoryBlock() {
  if (data_ != nullptr) ::munmap(data_, mapped_size(bytes_));
}

}  // namespace kernelloop
