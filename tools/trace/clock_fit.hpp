// Ties the cycle counters of the multiprocessors to their common clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace kernelloop {

// ns = offset_ns + (cycles - offset_cycles) / rate.
struct ClockFit {
  double offset_cycles = 0;
  double offset_ns = 0;
  double cycles_per_ns = 1;
  [[nodiscard]] double ns_of(double cycles) const {
    return offset_ns + (cycles - offset_cycles) / cycles_per_ns;
  }
};

class ClockFits {
 public:
  // `fallback_cycles_per_ns` > 0 is used where nothing else is known.
  explicit ClockFits(double fallback_cycles_per_ns) : fallback_(fallback_cycles_per_ns) {}

  // An anchor: both clocks read next to each other. The first of all sets the origin.
  void add(std::uint32_t multiprocessor, std::uint64_t cycles, std::uint64_t ns);
  void fit();

  // nullptr where the multiprocessor has no anchor.
  [[nodiscard]] const ClockFit* find(std::uint32_t multiprocessor) const;
  // The median rate of those whose anchors lie far enough apart; 0 when none does.
  [[nodiscard]] double cycles_per_ns() const noexcept { return median_; }

 private:
  struct Anchor {
    double cycles = 0;
    double ns = 0;
  };
  double fallback_;
  double median_ = 0;
  bool started_ = false;
  std::uint64_t origin_ns_ = 0;
  std::map<std::uint32_t, std::vector<Anchor>> anchors_;
  std::map<std::uint32_t, ClockFit> fits_;
};

}  // namespace kernelloop
