// Host memory in which an access out of bounds is noticed.
//
// Plain builds: the buffer ends (as near as its alignment allows) where inaccessible pages begin,
// or begins where they end; inaccessible pages lie on its other side too, and what is left of the
// pages around it holds a pattern that is checked. Sanitizer builds: a heap block whose
// surroundings AddressSanitizer watches.
#pragma once

#include "device/placement.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace kernelloop {

class GuardedBuffer {
 public:
  // Throws Error(io) when memory is short. `name` is that of the tensor, for messages; `alignment`,
  // a power of two up to a page, holds for its first byte. Of the placements, fence_begin and
  // least_alignment differ from the others, which all end at the fence.
  GuardedBuffer(std::string name, std::size_t bytes, bool sanitized,
                Placement placement = Placement::margins, std::size_t alignment = 16);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] std::byte* data() const noexcept { return data_; }

  // From now on a store to it faults.
  void make_read_only();

  // Whether `address` lies in the buffer itself, and a store there faults.
  [[nodiscard]] bool forbids_store_to(const void* address) const noexcept;

  // What was written around the buffer, as "wrote 4 bytes past the end of 'y' (400 bytes)"; empty
  // when nothing was.
  [[nodiscard]] std::string damage() const;

  // Where `address` lies, if it is in this buffer's guard pages: bytes past the end (> 0 means at
  // least one byte beyond; 1 is the first byte behind it) or before the start (< 0); 0: elsewhere.
  [[nodiscard]] std::ptrdiff_t distance(const void* address) const noexcept;

 private:
  void take_heap_block(bool least, std::size_t alignment);
  void take_pages(Placement placement, std::size_t alignment);
  void protect(int access) const;

  std::string name_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  void* block_ = nullptr;  // of the heap: whole pages, so that they can be protected; or
  std::size_t block_size_ = 0;
  void* mapping_ = nullptr;  // pages
  std::size_t mapping_size_ = 0;
  bool read_only_ = false;
  std::span<std::byte> before_;
  std::span<std::byte> after_;
};

}  // namespace kernelloop
