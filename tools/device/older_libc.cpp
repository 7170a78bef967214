// What the archive of libstdc++ calls and the C library has only lately: with it in the program an
// older one will do.
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

// glibc 2.36; std::random_device draws from it.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  // So few bytes come whole, or not at all.
  while (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
    if (errno != EINTR) std::abort();
  }
  return value;
}
