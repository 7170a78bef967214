#include "bench/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace kernelloop {
namespace {

std::vector<double> log_ratios(const std::vector<double>& numerators,
                               const std::vector<double>& denominators) {
  if (numerators.empty() || numerators.size() != denominators.size()) {
    throw std::invalid_argument("paired samples need equal, non-zero numbers of times");
  }
  std::vector<double> ratios;
  ratios.reserve(numerators.size());
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    if (!(numerators[i] > 0) || !(denominators[i] > 0)) {
      throw std::invalid_argument("a time that is compared must be positive");
    }
    ratios.push_back(std::log(numerators[i] / denominators[i]));
  }
  return ratios;
}

ComparisonVerdict judge(const Interval& interval, double floor) {
  if (interval.high < -floor) {
    return ComparisonVerdict::faster;
  }
  if (interval.low > floor) {
    return ComparisonVerdict::slower;
  }
  if (floor <= k_widest_same && interval.low >= -floor && interval.high <= floor) {
    return ComparisonVerdict::same;
  }
  return ComparisonVerdict::unclear;
}

}  // namespace

const char* name_of(ComparisonVerdict verdict) {
  switch (verdict) {
    case ComparisonVerdict::faster:
      return "FASTER";
    case ComparisonVerdict::slower:
      return "SLOWER";
    case ComparisonVerdict::same:
      return "SAME";
    case ComparisonVerdict::unclear:
      break;
  }
  return "UNCLEAR";
}

double Comparison::ratio() const { return std::exp(log_ratio); }

Comparison compare(const std::vector<PairedSamples>& workloads, std::uint64_t seed) {
  std::vector<WeightedSeries> between;
  std::vector<WeightedSeries> within;
  for (const PairedSamples& one : workloads) {
    between.push_back({log_ratios(one.challenger_us, one.incumbent_us), one.weight});
    within.push_back({log_ratios(one.incumbent_again_us, one.incumbent_us), one.weight});
  }
  constexpr double k_confidence = 0.95;
  Comparison result;
  result.log_ratio = weighted_median(between);
  result.interval = bootstrap_interval(between, k_confidence, k_bootstrap_resamples, seed);
  result.self_ratio = std::exp(weighted_median(within));
  const Interval self = bootstrap_interval(within, k_confidence, k_bootstrap_resamples, seed + 1);
  result.noise_floor = std::max({k_minimum_noise_floor, std::abs(self.low), std::abs(self.high)});
  const bool enough = std::all_of(between.begin(), between.end(), [](const WeightedSeries& one) {
    return one.values.size() >= k_fewest_pairs;
  });
  result.verdict = enough ? judge(result.interval, result.noise_floor) : ComparisonVerdict::unclear;
  return result;
}

}  // namespace kernelloop
