// Counter-based random numbers: element i of a stream depends on the seed, the stream's name and i
// alone, so that any thread can draw any element and one seed reproduces them all.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

namespace kernelloop {

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name) : key_(mix(seed)) {
    for (const char c : name) key_ = mix(key_ ^ static_cast<unsigned char>(c));
  }

  // 64 random bits: one step of SplitMix64.
  [[nodiscard]] std::uint64_t bits(std::uint64_t index) const {
    return mix(key_ + (index + 1) * 0x9E3779B97F4A7C15u);
  }

  // In [0, 1).
  [[nodiscard]] double uniform(std::uint64_t index) const {
    return static_cast<double>(bits(index) >> 11) * 0x1p-53;
  }

  template <typename Real>
  struct Pair {
    Real first;
    Real second;
  };
  // Two independent standard normal numbers (Box-Muller); magnitudes up to 6.7.
  template <typename Real>
  [[nodiscard]] Pair<Real> normal_pair(std::uint64_t index) const {
    const Polar<Real> polar = polar_of<Real>(bits(index));
    return {polar.radius * std::cos(polar.angle), polar.radius * std::sin(polar.angle)};
  }
  // Number `index` of the sequence that the pairs make.
  template <typename Real>
  [[nodiscard]] Real normal(std::uint64_t index) const {
    const Polar<Real> polar = polar_of<Real>(bits(index / 2));
    return polar.radius * (index % 2 == 0 ? std::cos(polar.angle) : std::sin(polar.angle));
  }

 private:
  template <typename Real>
  struct Polar {
    Real radius;
    Real angle;
  };
  template <typename Real>
  static Polar<Real> polar_of(std::uint64_t both) {
    // In (0, 1], with more digits near 0, where the far tail of the distribution comes from.
    const Real coarse = static_cast<Real>(both >> 40) * Real(0x1p-24);
    const Real fine = (static_cast<Real>((both >> 32) & 0xFF) + Real(0.5)) * Real(0x1p-32);
    return {std::sqrt(Real(-2) * std::log(coarse + fine)),
            static_cast<Real>(both & 0xFFFFFFFFu) * Real(0x1p-32 * 6.283185307179586)};
  }

  static constexpr std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
  }

  std::uint64_t key_;
};

}  // namespace kernelloop
