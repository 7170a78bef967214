// Ctrl-C while we wait: noticed instead of died of, so that what is known can be said and kept.
#pragma once

#include <csignal>

namespace kernelloop {

// While it lives, SIGINT, SIGTERM and SIGHUP wait for `came` instead of ending this process.
class InterruptWatch {
 public:
  InterruptWatch() {
    sigemptyset(&watched_);
    sigaddset(&watched_, SIGINT);
    sigaddset(&watched_, SIGTERM);
    sigaddset(&watched_, SIGHUP);
    ::pthread_sigmask(SIG_BLOCK, &watched_, &previous_);
  }
  ~InterruptWatch() { ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // Whether one came since the last call. Waits for one up to `milliseconds`.
  [[nodiscard]] bool came(long milliseconds = 0) const {
    const timespec wait{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
    return ::sigtimedwait(&watched_, nullptr, &wait) > 0;
  }

 private:
  sigset_t watched_{};
  sigset_t previous_{};
};

}  // namespace kernelloop
