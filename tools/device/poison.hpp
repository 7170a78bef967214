// What outputs and workspace hold before a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kernelloop {

class Poison {
 public:
  // Every byte the same; by default 0xFF, which makes a NaN in every floating-point type.
  constexpr Poison() = default;
  constexpr explicit Poison(std::byte value) : value_(value) {}
  // Numbers of every size and sign that no kernel can tell from data; the same ones for one seed.
  static constexpr Poison noise(std::uint64_t seed) { return Poison(seed, true); }

  // The byte at `offset` from the start of a tensor or workspace.
  [[nodiscard]] std::byte at(std::size_t offset) const;
  void fill(std::span<std::byte> memory) const;

  // What `fill` repeats: 1 byte, or somewhat less than a mebibyte, an odd number.
  [[nodiscard]] std::size_t period() const noexcept { return noise_ ? k_noise_period : 1; }

  [[nodiscard]] bool is_noise() const noexcept { return noise_; }
  [[nodiscard]] std::byte value() const noexcept { return value_; }    // unless it is noise
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }  // of noise
  friend constexpr bool operator==(const Poison&, const Poison&) = default;

 private:
  // A prime: equal rows of a tensor hold other noise.
  static constexpr std::size_t k_noise_period = 1048573;

  constexpr Poison(std::uint64_t seed, bool noise) : seed_(seed), noise_(noise) {}

  std::uint64_t seed_ = 0;
  std::byte value_{0xFF};
  bool noise_ = false;
};

}  // namespace kernelloop
