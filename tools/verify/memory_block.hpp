// Large blocks of memory straight from the kernel: zero at first, paid for when touched.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace kernelloop {

// Maps the pages of a part of a block, so that it takes few system calls instead of a fault for
// each page; on all cores. `writing`: the pages are wanted for writing. Only saves time, and does
// nothing on kernels before 5.14.
void populate(std::span<std::byte> memory, bool writing);

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

}  // namespace kernelloop
