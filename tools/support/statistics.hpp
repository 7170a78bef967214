// Order statistics of timing samples. Timings are skewed to the right, so nothing here uses a mean
// or a standard deviation, and no sample is ever thrown away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernelloop {

// The q-quantile (0 <= q <= 1) with linear interpolation between the two nearest order statistics,
// so that the median of an even number of samples is the mean of the middle two. `samples` need
// not be sorted and must not be empty (throws std::invalid_argument).
double quantile(std::vector<double> samples, double q);
double median(std::vector<double> samples);

struct Summary {
  std::size_t count = 0;
  double min = 0;
  double p25 = 0;
  double median = 0;
  double p75 = 0;
  double spread = 0;  // (p75 - p25) / median
};

// Throws std::invalid_argument for no samples.
Summary summarize(std::vector<double> samples);

// exp(sum w ln v / sum w). Values and weights are positive and of equal number; throws
// std::invalid_argument otherwise.
double weighted_geometric_mean(const std::vector<double>& values,
                               const std::vector<double>& weights);

struct Interval {
  double low = 0;
  double high = 0;
};

// Where the median of the distribution lies with 95 % confidence, whatever the distribution:
// between the order statistics n/2 -+ 1.96 sqrt(n)/2 (normal approximation of the binomial; the
// ranks are rounded outwards). Unbounded for fewer than 6 samples, where no two of them enclose it
// so surely.
Interval median_interval(std::vector<double> samples);

// Several series, each with a weight; the statistic is the weighted mean of their medians.
struct WeightedSeries {
  std::vector<double> values;
  double weight = 1.0;
};
double weighted_median(const std::vector<WeightedSeries>& series);

// Percentile bootstrap of weighted_median: each resample draws every series anew with replacement.
// `confidence` 0.95 gives the 2.5 % and 97.5 % quantiles. The same seed gives the same interval.
Interval bootstrap_interval(const std::vector<WeightedSeries>& series, double confidence,
                            int resamples, std::uint64_t seed);

}  // namespace kernelloop
