// Time and chance, behind an interface so that retries can be tested without waiting.
#pragma once

#include <chrono>

namespace kernelloop {

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual std::chrono::steady_clock::time_point now() const = 0;
  virtual void sleep(std::chrono::milliseconds duration) = 0;
  // Uniform in [0, 1): the jitter of retries.
  virtual double chance() = 0;
};

// The real one.
Clock& system_clock();

}  // namespace kernelloop
