// Large blocks of memory straight from the kernel: zero at first, paid for when touched.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace kernelloop {

// Maps the pages of a part of a block, so that it takes few system calls instead of a fault for
// each page; on all cores, and in pieces: others who map memory meanwhile do not wait for the
// whole. `writing`: the pages are wanted for writing, and made where there are none. Returns false
// where that is not possible: on kernels before 5.14, and when memory is short.
bool populate(std::span<std::byte> memory, bool writing);

class MemoryBlock {
 public:
  // `shared` memory is seen by forked children, and what they write is seen here.
  enum class Kind { owned, shared };

  MemoryBlock() = default;
  // Throws Error(io) when memory is short.
  MemoryBlock(std::size_t bytes, Kind kind);
  ~MemoryBlock();
  MemoryBlock(MemoryBlock&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryBlock& operator=(MemoryBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  // The block as an array; never null, even of no elements.
  template <typename T>
  [[nodiscard]] std::span<T> as() const noexcept {
    return {static_cast<T*>(data_), bytes_ / sizeof(T)};
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Blocks that are used again: memory that was touched before costs no page faults. Any thread may
// take and give. What the pool gave keeps it alive.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  explicit MemoryPool(MemoryBlock::Kind kind) : kind_(kind) {}
  // The blocks go at once, each on a thread: that takes as long as it took to get them.
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  class Lease {
   public:
    Lease() = default;
    Lease(std::shared_ptr<MemoryPool> pool, MemoryBlock block)
        : pool_(std::move(pool)), block_(std::move(block)) {}
    ~Lease();
    Lease(Lease&& other) noexcept
        : pool_(std::move(other.pool_)), block_(std::move(other.block_)) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(block_, other.block_);
      return *this;
    }
    [[nodiscard]] const MemoryBlock& block() const noexcept { return block_; }

   private:
    std::shared_ptr<MemoryPool> pool_;
    MemoryBlock block_;
  };

  // At least `bytes`, with whatever it held before. Throws as MemoryBlock does.
  Lease take(std::size_t bytes);

 private:
  MemoryBlock::Kind kind_;
  std::mutex mutex_;
  std::vector<MemoryBlock> free_;
};

}  // namespace kernelloop
