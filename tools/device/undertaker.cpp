#include "device/undertaker.hpp"

#include "support/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace kernelloop {
namespace {

constexpr int k_patience_ms = 30000;
constexpr std::size_t k_most = 8;

// In the child of a process with threads: only async-signal-safe calls.
[[noreturn]] void wait_for(int kept, const std::array<int, k_most>& dying, std::size_t count) {
  ::setsid();
  // What we need goes above, lest one stand in the place of another; then down to 0, 1, 2, ..., and
  // all others are closed: nobody shall wait for us to close a pipe.
  constexpr int k_above = 64;
  const int lock = ::fcntl(kept, F_DUPFD, k_above);
  std::array<int, k_most> moved{};
  for (std::size_t i = 0; i < count; ++i) moved[i] = ::fcntl(dying[i], F_DUPFD, k_above);
  if (::dup2(lock, 0) < 0) ::_exit(1);
  for (std::size_t i = 0; i < count; ++i) ::dup2(moved[i], static_cast<int>(i) + 1);
  close_descriptors_from(static_cast<int>(count) + 1);
  for (std::size_t i = 0; i < count; ++i) {
    pollfd gone{static_cast<int>(i) + 1, POLLIN, 0};
    ::poll(&gone, 1, k_patience_ms);
  }
  ::_exit(0);
}

}  // namespace

bool keep_until_gone(int kept, const std::vector<int>& dying) {
  if (dying.empty() || dying.size() > k_most) return false;
  std::array<int, k_most> descriptors{};
  std::copy(dying.begin(), dying.end(), descriptors.begin());
  const pid_t child = ::fork();
  if (child == 0) wait_for(kept, descriptors, dying.size());
  return child > 0;
}

}  // namespace kernelloop
