// A file descriptor that is closed when its owner goes, and those that a child keeps.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
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

// For a child between fork and whatever it becomes: descriptors[i] becomes descriptor i (-1, or one
// that is not open: i is closed), and all others are closed where the kernel can, so that nobody
// waits for the child to close a pipe. Async-signal-safe. At most k_most_kept.
inline constexpr std::size_t k_most_kept = 16;
inline void keep_only(const int* descriptors, std::size_t count) noexcept {
  // All of them out of the way first, lest one stand in the place of another.
  std::array<int, k_most_kept> moved{};
  for (std::size_t i = 0; i < count; ++i) {
    moved[i] = descriptors[i] < 0 ? -1 : ::fcntl(descriptors[i], F_DUPFD, int{k_most_kept});
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int place = static_cast<int>(i);
    if (moved[i] < 0 || ::dup2(moved[i], place) < 0) ::close(place);
  }
#ifdef SYS_close_range
  ::syscall(SYS_close_range, static_cast<unsigned>(count), ~0u, 0u);
#else
  for (std::size_t i = 0; i < count; ++i) {
    if (moved[i] >= 0) ::close(moved[i]);
  }
#endif
}

}  // namespace kernelloop
