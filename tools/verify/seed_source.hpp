// Seeds that nobody knows before the run.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

namespace kernelloop {

class SeedSource {
 public:
  // With `fixed`, every seed is that one: a run as it was recorded.
  explicit SeedSource(std::optional<std::uint64_t> fixed = std::nullopt) : fixed_(fixed) {}

  // 53 bits, which every JSON reader keeps.
  std::uint64_t next() {
    if (fixed_) return *fixed_;
    const std::uint64_t high = entropy_();
    return ((high << 32) | entropy_()) & ((std::uint64_t{1} << 53) - 1);
  }

 private:
  std::optional<std::uint64_t> fixed_;
  std::random_device entropy_;
};

}  // namespace kernelloop
