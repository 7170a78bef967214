#include "support/statistics.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace kernelloop {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> samples = {40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(quantile(samples, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(samples, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 17.5);
}

TEST(Quantile, RefusesNoSamplesAndNoQuantile) {
  EXPECT_THROW(quantile({}, 0.5), std::invalid_argument);
  EXPECT_THROW(quantile({1}, 1.5), std::invalid_argument);
  EXPECT_THROW(quantile({1}, std::nan("")), std::invalid_argument);
}

TEST(Median, AgreesWithTheQuantileForOddAndEvenCounts) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> value(0, 100);
  for (std::size_t count = 1; count < 30; ++count) {
    std::vector<double> samples(count);
    for (double& sample : samples) {
      sample = value(generator);
    }
    EXPECT_DOUBLE_EQ(median(samples), quantile(samples, 0.5)) << count;
  }
}

TEST(MedianInterval, HoldsTheMedianAsOftenAsItSays) {
  std::mt19937_64 generator(11);
  // Skewed to the right, as times are; its median is ln 2.
  std::exponential_distribution<double> value;
  for (const std::size_t count : {6u, 20u, 51u, 200u}) {
    int held = 0;
    constexpr int k_trials = 2000;
    for (int trial = 0; trial < k_trials; ++trial) {
      std::vector<double> samples(count);
      for (double& sample : samples) sample = value(generator);
      const Interval interval = median_interval(samples);
      held += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high ? 1 : 0;
    }
    // At least 95 %, less three standard deviations of 2000 trials.
    EXPECT_GE(held, k_trials * 0.935) << count;
  }
}

TEST(MedianInterval, NarrowsAsTheRootOfTheNumberOfSamples) {
  std::vector<double> samples;
  for (int i = 0; i < 10000; ++i) samples.push_back(i);
  const Interval interval = median_interval(samples);
  EXPECT_NEAR(interval.low, 4902, 2);
  EXPECT_NEAR(interval.high, 5098, 2);
}

TEST(MedianInterval, OfAFewSamplesIsUnbounded) {
  EXPECT_TRUE(std::isinf(median_interval({1, 2, 3, 4, 5}).high));
  EXPECT_DOUBLE_EQ(median_interval({1, 2, 3, 4, 5, 6}).high, 6);
}

TEST(Summarize, HasQuartilesOfAKnownDistribution) {
  std::vector<double> samples(101);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = 100 + static_cast<double>((i * 37) % 101);
  }
  const Summary summary = summarize(samples);
  EXPECT_EQ(summary.count, 101u);
  EXPECT_DOUBLE_EQ(summary.min, 100);
  EXPECT_DOUBLE_EQ(summary.p25, 125);
  EXPECT_DOUBLE_EQ(summary.median, 150);
  EXPECT_DOUBLE_EQ(summary.p75, 175);
  EXPECT_DOUBLE_EQ(summary.spread, 50.0 / 150.0);
}

TEST(Summarize, AnOutlierDoesNotMoveTheMedian) {
  EXPECT_DOUBLE_EQ(summarize({10, 11, 12, 13, 1e6}).median, 12);
}

TEST(WeightedGeometricMean, WeighsLogarithms) {
  EXPECT_DOUBLE_EQ(weighted_geometric_mean({4, 9}, {1, 1}), 6);
  EXPECT_NEAR(weighted_geometric_mean({2, 16}, {3, 1}), std::pow(128.0, 0.25), 1e-12);
}

TEST(WeightedGeometricMean, RefusesWhatHasNoLogarithm) {
  EXPECT_THROW(weighted_geometric_mean({}, {}), std::invalid_argument);
  EXPECT_THROW(weighted_geometric_mean({1, 0}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(weighted_geometric_mean({1}, {0}), std::invalid_argument);
  EXPECT_THROW(weighted_geometric_mean({1}, {1, 2}), std::invalid_argument);
}

TEST(BootstrapInterval, CoversTheTrueMedianAboutAsOftenAsItSays) {
  std::mt19937_64 generator(11);
  std::lognormal_distribution<double> skewed(0, 0.1);  // its median is 1
  int covered = 0;
  constexpr int k_experiments = 300;
  for (int experiment = 0; experiment < k_experiments; ++experiment) {
    std::vector<double> samples(40);
    for (double& sample : samples) {
      sample = skewed(generator);
    }
    const Interval interval = bootstrap_interval({{samples, 1.0}}, 0.95, 400, 3);
    covered += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, k_experiments * 90 / 100);
  EXPECT_LE(covered, k_experiments * 99 / 100);
}

TEST(BootstrapInterval, IsTheSameForTheSameSeed) {
  const std::vector<WeightedSeries> series = {{{1, 2, 3, 4, 5, 6}, 1}, {{5, 9, 7}, 2}};
  const Interval first = bootstrap_interval(series, 0.95, 500, 42);
  const Interval again = bootstrap_interval(series, 0.95, 500, 42);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_LT(first.low, first.high);
}

}  // namespace
}  // namespace kernelloop
