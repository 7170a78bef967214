#include "device/mapping_cache.hpp"

#include "support/error.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace kernelloop {

namespace {

// Unmapping that many bytes takes longer than starting a thread for it.
constexpr std::size_t k_worth_a_thread = std::size_t{16} << 20;

}  // namespace

void MappingCache::begin_request() {
  ++now_;
  const auto old = std::partition(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return now_ - entry.last_used <= requests_;
  });
  std::size_t bytes = 0;
  for (auto entry = old; entry != entries_.end(); ++entry) bytes += entry->size;
  if (bytes >= k_worth_a_thread) {
    std::vector<Entry> let_go(std::make_move_iterator(old),
                              std::make_move_iterator(entries_.end()));
    unmapping_ =
        std::async(std::launch::async, [let_go = std::move(let_go)]() mutable { let_go.clear(); });
  }
  entries_.erase(old, entries_.end());
}

std::byte* MappingCache::map(int descriptor, std::size_t size, bool writable) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    fail(ExitCode::io, "cannot map {} bytes of tensors: {}", size, std::strerror(errno));
  }
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.device == status.st_dev && entry.inode == status.st_ino && entry.size == size &&
           entry.writable == writable;
  });
  if (found != entries_.end()) {
    found->last_used = now_;
    return found->mapping.data();
  }
  entries_.push_back(
      {status.st_dev, status.st_ino, size, writable, now_, Mapping(descriptor, size, writable)});
  return entries_.back().mapping.data();
}

}  // namespace kernelloop
