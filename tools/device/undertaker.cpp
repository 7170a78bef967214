#include "device/undertaker.hpp"

#include "support/descriptor.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace kernelloop {
namespace {

constexpr int k_patience_ms = 30000;

// In the child of a process with threads: only async-signal-safe calls.
[[noreturn]] void wait_for(const std::array<int, k_most_kept>& descriptors, std::size_t kept,
                           std::size_t count) {
  ::setsid();
  keep_only(descriptors.data(), count);
  for (std::size_t i = kept; i < count; ++i) {
    pollfd gone{static_cast<int>(i), POLLIN, 0};
    ::poll(&gone, 1, k_patience_ms);
  }
  ::_exit(0);
}

}  // namespace

bool keep_until_gone(const std::vector<int>& kept, const std::vector<int>& dying) {
  const std::size_t count = kept.size() + dying.size();
  if (dying.empty() || count > k_most_kept) return false;
  std::array<int, k_most_kept> descriptors{};
  const auto end = std::copy(kept.begin(), kept.end(), descriptors.begin());
  std::copy(dying.begin(), dying.end(), end);
  const pid_t child = ::fork();
  if (child == 0) wait_for(descriptors, kept.size(), count);
  return child > 0;
}

}  // namespace kernelloop
