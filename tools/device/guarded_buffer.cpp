#include "device/guarded_buffer.hpp"

#include "device/guard_pattern.hpp"
#include "support/error.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace kernelloop {
namespace {

constexpr std::size_t k_guard = 16u << 20;  // address space, no memory

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Forbids or allows accesses to heap memory, where AddressSanitizer's runtime is in the process.
void set_poisoned(void* memory, std::size_t bytes, bool poisoned) {
  using Function = void (*)(const volatile void*, std::size_t);
  const auto function = reinterpret_cast<Function>(::dlsym(
      RTLD_DEFAULT, poisoned ? "__asan_poison_memory_region" : "__asan_unpoison_memory_region"));
  if (function != nullptr) function(memory, bytes);
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::string name, std::size_t bytes, bool sanitized,
                             Placement placement, std::size_t alignment)
    : name_(std::move(name)), size_(bytes) {
  if (sanitized) {
    take_heap_block(placement == Placement::least_alignment, alignment);
  } else {
    take_pages(placement, alignment);
  }
}

void GuardedBuffer::take_heap_block(bool least, std::size_t alignment) {
  const std::size_t before = least ? alignment : 0;
  const std::size_t page = page_size();
  block_size_ = round_up(std::max<std::size_t>(before + size_, 1), page);
  if (::posix_memalign(&block_, std::max(page, 2 * alignment), block_size_) != 0) {
    block_ = nullptr;
    fail(ExitCode::io, "no memory for '{}' ({} bytes)", name_, size_);
  }
  data_ = static_cast<std::byte*>(block_) + before;
  // The sanitizer knows the block only, and the start of a forbidden range in units of 8 bytes.
  if (before >= 8) set_poisoned(block_, before, true);
  set_poisoned(data_ + size_, block_size_ - before - size_, true);
}

void GuardedBuffer::take_pages(Placement placement, std::size_t alignment) {
  const bool least = placement == Placement::least_alignment;
  const std::size_t page = page_size();
  const std::size_t usable =
      round_up(std::max<std::size_t>(size_ + (least ? 2 * alignment : 0), 1), page);
  mapping_size_ = usable + 2 * k_guard;
  mapping_ =
      ::mmap(nullptr, mapping_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    fail(ExitCode::io, "no memory for '{}' ({} bytes)", name_, size_);
  }
  std::byte* pages = static_cast<std::byte*>(mapping_) + k_guard;
  if (::mprotect(pages, usable, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(mapping_, mapping_size_);
    fail(ExitCode::io, "no memory for '{}' ({} bytes)", name_, size_);
  }
  std::size_t offset = 0;
  if (least) {
    offset = (usable - size_ - alignment) / (2 * alignment) * (2 * alignment) + alignment;
  } else if (placement != Placement::fence_begin) {
    offset = (usable - size_) / alignment * alignment;
  }
  data_ = pages + offset;
  before_ = {pages, data_};
  after_ = {data_ + size_, pages + usable};
  std::fill(before_.begin(), before_.end(), k_guard_pattern);
  std::fill(after_.begin(), after_.end(), k_guard_pattern);
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping_ != nullptr) {
    ::munmap(mapping_, mapping_size_);
  } else if (block_ != nullptr) {
    if (read_only_) protect(PROT_READ | PROT_WRITE);
    set_poisoned(block_, block_size_, false);
    std::free(block_);
  }
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : name_(std::move(other.name_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(other.size_),
      block_(std::exchange(other.block_, nullptr)),
      block_size_(other.block_size_),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_size_(other.mapping_size_),
      read_only_(other.read_only_),
      before_(std::exchange(other.before_, {})),
      after_(std::exchange(other.after_, {})) {}

void GuardedBuffer::protect(int access) const {
  void* pages = block_ != nullptr ? block_ : static_cast<std::byte*>(mapping_) + k_guard;
  const std::size_t size = block_ != nullptr ? block_size_ : mapping_size_ - 2 * k_guard;
  if (::mprotect(pages, size, access) != 0) {
    fail(ExitCode::environment, "cannot change the protection of '{}' ({} bytes)", name_, size_);
  }
}

void GuardedBuffer::make_read_only() {
  protect(PROT_READ);
  read_only_ = true;
}

bool GuardedBuffer::forbids_store_to(const void* address) const noexcept {
  const auto* at = static_cast<const std::byte*>(address);
  return read_only_ && at >= data_ && at < data_ + size_;
}

std::string GuardedBuffer::damage() const {
  const auto changed = [](std::byte value) { return value != k_guard_pattern; };
  const auto last = std::find_if(after_.rbegin(), after_.rend(), changed);
  if (last != after_.rend()) {
    return fmt::format("wrote {} bytes past the end of '{}' ({} bytes)",
                       std::distance(last, after_.rend()), name_, size_);
  }
  const auto first = std::find_if(before_.begin(), before_.end(), changed);
  if (first != before_.end()) {
    return fmt::format("wrote {} bytes before the start of '{}' ({} bytes)",
                       std::distance(first, before_.end()), name_, size_);
  }
  return {};
}

std::ptrdiff_t GuardedBuffer::distance(const void* address) const noexcept {
  if (mapping_ == nullptr) return 0;
  const auto* at = static_cast<const std::byte*>(address);
  const auto* low = static_cast<const std::byte*>(mapping_);
  if (at < low || at >= low + mapping_size_) return 0;
  if (at >= data_ + size_) return at - (data_ + size_) + 1;
  return at < data_ ? at - data_ : 0;
}

}  // namespace kernelloop
