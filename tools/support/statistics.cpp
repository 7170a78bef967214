#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace kernelloop {
namespace {

double quantile_of_sorted(const std::vector<double>& sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto lower = static_cast<std::size_t>(position);
  const auto upper = std::min(lower + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(lower);
  return sorted[lower] + fraction * (sorted[upper] - sorted[lower]);
}

void require_samples(const std::vector<double>& samples) {
  if (samples.empty()) {
    throw std::invalid_argument("statistics need at least one sample");
  }
}

// The median in linear time; the order of `samples` changes.
double median_in_place(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) {
    return *middle;
  }
  return (*std::max_element(samples.begin(), middle) + *middle) / 2;
}

}  // namespace

double quantile(std::vector<double> samples, double q) {
  require_samples(samples);
  if (!(q >= 0 && q <= 1)) {
    throw std::invalid_argument("a quantile lies between 0 and 1");
  }
  std::sort(samples.begin(), samples.end());
  return quantile_of_sorted(samples, q);
}

double median(std::vector<double> samples) {
  require_samples(samples);
  return median_in_place(samples);
}

Interval median_interval(std::vector<double> samples) {
  constexpr std::size_t k_fewest = 6;
  constexpr double k_infinite = std::numeric_limits<double>::infinity();
  if (samples.size() < k_fewest) return {-k_infinite, k_infinite};
  std::sort(samples.begin(), samples.end());
  const auto count = static_cast<double>(samples.size());
  const double reach = 1.96 * std::sqrt(count) / 2;
  // Ranks count from 1.
  const auto low = std::max(1.0, std::floor(count / 2 - reach));
  const auto high = std::min(count, std::ceil(count / 2 + reach) + 1);
  return {samples[static_cast<std::size_t>(low) - 1], samples[static_cast<std::size_t>(high) - 1]};
}

Summary summarize(std::vector<double> samples) {
  require_samples(samples);
  std::sort(samples.begin(), samples.end());
  Summary summary;
  summary.count = samples.size();
  summary.min = samples.front();
  summary.p25 = quantile_of_sorted(samples, 0.25);
  summary.median = quantile_of_sorted(samples, 0.5);
  summary.p75 = quantile_of_sorted(samples, 0.75);
  summary.spread = summary.median > 0 ? (summary.p75 - summary.p25) / summary.median : 0;
  return summary;
}

double weighted_geometric_mean(const std::vector<double>& values,
                               const std::vector<double>& weights) {
  if (values.empty() || values.size() != weights.size()) {
    throw std::invalid_argument("a weighted mean needs one weight for each value");
  }
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0) || !(weights[i] > 0)) {
      throw std::invalid_argument("a geometric mean needs positive values and weights");
    }
    sum += weights[i] * std::log(values[i]);
    total += weights[i];
  }
  return std::exp(sum / total);
}

double weighted_median(const std::vector<WeightedSeries>& series) {
  double sum = 0;
  double total = 0;
  for (const WeightedSeries& one : series) {
    sum += one.weight * median(one.values);
    total += one.weight;
  }
  if (!(total > 0)) {
    throw std::invalid_argument("a weighted median needs a series with a positive weight");
  }
  return sum / total;
}

Interval bootstrap_interval(const std::vector<WeightedSeries>& series, double confidence,
                            int resamples, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<double> statistics;
  statistics.reserve(static_cast<std::size_t>(resamples));
  std::vector<double> drawn;
  for (int resample = 0; resample < resamples; ++resample) {
    double sum = 0;
    double total = 0;
    for (const WeightedSeries& one : series) {
      require_samples(one.values);
      std::uniform_int_distribution<std::size_t> index(0, one.values.size() - 1);
      drawn.resize(one.values.size());
      for (double& value : drawn) {
        value = one.values[index(generator)];
      }
      sum += one.weight * median_in_place(drawn);
      total += one.weight;
    }
    statistics.push_back(sum / total);
  }
  require_samples(statistics);
  std::sort(statistics.begin(), statistics.end());
  const double tail = (1 - confidence) / 2;
  return {quantile_of_sorted(statistics, tail), quantile_of_sorted(statistics, 1 - tail)};
}

}  // namespace kernelloop
