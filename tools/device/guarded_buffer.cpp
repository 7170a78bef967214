#include "device/guarded_buffer.hpp"

#include "device/guard_pattern.hpp"
#include "support/error.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace kernelloop {
namespace {

constexpr std::size_t k_guard = 16u << 20;  // address space, no memory

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::string name, std::size_t bytes, bool sanitized)
    : name_(std::move(name)), size_(bytes) {
  if (sanitized) {
    void* block = nullptr;
    if (::posix_memalign(&block, 256, std::max<std::size_t>(bytes, 1)) != 0) block = nullptr;
    if (block == nullptr) fail(ExitCode::io, "no memory for '{}' ({} bytes)", name_, bytes);
    data_ = static_cast<std::byte*>(block);
    return;
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t usable = round_up(std::max<std::size_t>(bytes, 1), page);
  mapping_size_ = usable + 2 * k_guard;
  mapping_ =
      ::mmap(nullptr, mapping_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    fail(ExitCode::io, "no memory for '{}' ({} bytes)", name_, bytes);
  }
  std::byte* pages = static_cast<std::byte*>(mapping_) + k_guard;
  if (::mprotect(pages, usable, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(mapping_, mapping_size_);
    fail(ExitCode::io, "no memory for '{}' ({} bytes)", name_, bytes);
  }
  // Vector types need 16 bytes of alignment; so at most 15 bytes lie between the end and the guard.
  data_ = pages + (usable - round_up(bytes, 16));
  before_ = {pages, data_};
  after_ = {data_ + bytes, pages + usable};
  std::fill(before_.begin(), before_.end(), k_guard_pattern);
  std::fill(after_.begin(), after_.end(), k_guard_pattern);
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping_ != nullptr) {
    ::munmap(mapping_, mapping_size_);
  } else {
    std::free(data_);
  }
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : name_(std::move(other.name_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(other.size_),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_size_(other.mapping_size_),
      before_(std::exchange(other.before_, {})),
      after_(std::exchange(other.after_, {})) {}

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
