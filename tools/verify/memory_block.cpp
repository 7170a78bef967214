#include "verify/memory_block.hpp"

#include "support/error.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kernelloop {
namespace {

std::size_t mapped_size(std::size_t bytes) { return std::max<std::size_t>(bytes, 1); }

}  // namespace

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

MemoryBlock::~MemoryBlock() {
  if (data_ != nullptr) ::munmap(data_, mapped_size(bytes_));
}

}  // namespace kernelloop
