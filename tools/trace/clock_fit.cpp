#include "trace/clock_fit.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

// %globaltimer steps by 32 ns (measured on an H200): over 3.2 us a rate is good to two per cent.
constexpr double k_least_span_ns = 3200;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void ClockFits::add(std::uint32_t multiprocessor, std::uint64_t cycles, std::uint64_t ns) {
  if (!started_) origin_ns_ = ns;
  started_ = true;
  anchors_[multiprocessor].push_back(
      {static_cast<double>(cycles),
       static_cast<double>(static_cast<std::int64_t>(ns - origin_ns_))});
}

void ClockFits::fit() {
  std::vector<double> rates;
  for (const auto& [multiprocessor, anchors] : anchors_) {
    const auto [first, last] = std::minmax_element(
        anchors.begin(), anchors.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; });
    const double ns = last->ns - first->ns;
    const double cycles = last->cycles - first->cycles;
    if (ns >= k_least_span_ns && cycles > 0) {
      fits_[multiprocessor].cycles_per_ns = cycles / ns;
      rates.push_back(cycles / ns);
    }
  }
  if (!rates.empty()) median_ = median_of(rates);
  for (const auto& [multiprocessor, anchors] : anchors_) {
    ClockFit fit;
    const auto known = fits_.find(multiprocessor);
    fit.cycles_per_ns = known != fits_.end() ? known->second.cycles_per_ns
                        : median_ > 0        ? median_
                                             : fallback_;
    // The offset is the median over the anchors, so that the coarse steps average out.
    fit.offset_cycles = anchors.front().cycles;
    std::vector<double> offsets;
    for (const Anchor& anchor : anchors) {
      offsets.push_back(anchor.ns - (anchor.cycles - fit.offset_cycles) / fit.cycles_per_ns);
    }
    fit.offset_ns = median_of(std::move(offsets));
    fits_[multiprocessor] = fit;
  }
}

const ClockFit* ClockFits::find(std::uint32_t multiprocessor) const {
  const auto found = fits_.find(multiprocessor);
  return found == fits_.end() ? nullptr : &found->second;
}

}  // namespace kernelloop
