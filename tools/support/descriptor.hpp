// A file descriptor that is closed when its owner goes.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace kernelloop {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset();
    value_ = std::exchange(other.value_, -1);
    return *this;
  }
  [[nodiscard]] int get() const noexcept { return value_; }
  [[nodiscard]] bool open() const noexcept { return value_ >= 0; }
  void reset() noexcept {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_ = -1;
};

// Closes every descriptor from `first` on, where the kernel can: for a child between fork and
// whatever it becomes, so that nobody waits for it to close a pipe. Async-signal-safe.
inline void close_descriptors_from([[maybe_unused]] int first) noexcept {
#ifdef SYS_close_range
  ::syscall(SYS_close_range, static_cast<unsigned>(first), ~0u, 0u);
#endif
}

}  // namespace kernelloop
