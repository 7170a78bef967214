#include "device/mapping_cache.hpp"

#include "support/error.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kernelloop {

void MappingCache::begin_request() {
  ++now_;
  std::erase_if(entries_, [&](const Entry& entry) { return now_ - entry.last_used > requests_; });
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
