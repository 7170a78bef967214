// Adds the wall time of a scope to a total, for the accounts of where a step's time went.
#pragma once

#include <chrono>
#include <cmath>

namespace kernelloop {

class ScopedSeconds {
 public:
  explicit ScopedSeconds(double& total) : total_(total) {}
  ~ScopedSeconds() {
    total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  ScopedSeconds(const ScopedSeconds&) = delete;
  ScopedSeconds& operator=(const ScopedSeconds&) = delete;

 private:
  double& total_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Seconds as accounts show them: to the millisecond.
inline double rounded_to_milliseconds(double seconds) { return std::round(seconds * 1e3) / 1e3; }

// The result of `work`, whose time is added to `total`.
template <typename Work>
auto timed(double& total, const Work& work) {
  const ScopedSeconds scope(total);
  return work();
}

}  // namespace kernelloop
