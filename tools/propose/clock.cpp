#include "propose/clock.hpp"

#include <random>
#include <thread>

namespace kernelloop {
namespace {

class SystemClock : public Clock {
 public:
  [[nodiscard]] std::chrono::steady_clock::time_point now() const override {
    return std::chrono::steady_clock::now();
  }
  void sleep(std::chrono::milliseconds duration) override { std::this_thread::sleep_for(duration); }
  double chance() override { return std::uniform_real_distribution<double>(0.0, 1.0)(engine_); }

 private:
  std::mt19937 engine_{std::random_device{}()};
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace kernelloop
