#include "bench/comparison.hpp"

#include <gmock/gmock.h>

#include <random>
#include <stdexcept>

namespace kernelloop {
namespace {

// Times as a GPU gives them: skewed to the right, with a drift that hits neighbours alike.
class Machine {
 public:
  explicit Machine(std::uint64_t seed, double noise) : generator_(seed), noise_(0, noise) {}

  PairedSamples compare(double incumbent_us, double challenger_us, int count) {
    PairedSamples samples;
    double drift = 1.0;
    for (int i = 0; i < count; ++i) {
      drift *= 1 + 0.002 * noise_(generator_);
      samples.incumbent_us.push_back(drift * time(incumbent_us));
      samples.incumbent_again_us.push_back(drift * time(incumbent_us));
      samples.challenger_us.push_back(drift * time(challenger_us));
    }
    return samples;
  }

 private:
  double time(double median) {
    const double deviation = noise_(generator_);
    return median * (1 + (deviation > 0 ? 2 * deviation : deviation));
  }

  std::mt19937_64 generator_;
  std::normal_distribution<double> noise_;
};

TEST(Compare, SeldomFindsADifferenceWhereThereIsNone) {
  int wrong = 0;
  constexpr int k_experiments = 200;
  for (int experiment = 0; experiment < k_experiments; ++experiment) {
    Machine machine(static_cast<std::uint64_t>(experiment), 0.02);
    const Comparison result = compare({machine.compare(50, 50, 40)}, 1);
    wrong +=
        result.verdict == ComparisonVerdict::faster || result.verdict == ComparisonVerdict::slower
            ? 1
            : 0;
  }
  EXPECT_LE(wrong, k_experiments * 25 / 1000);
}

TEST(Compare, FindsAPlantedOnePercentOnAQuietMachine) {
  int faster = 0;
  int slower = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Machine machine(seed, 0.002);
    faster += compare({machine.compare(50, 49.5, 60)}, 1).verdict == ComparisonVerdict::faster;
    slower += compare({machine.compare(50, 50.5, 60)}, 1).verdict == ComparisonVerdict::slower;
  }
  EXPECT_GE(faster, 38);
  EXPECT_GE(slower, 38);
}

TEST(Compare, FindsAPlantedThreePercentOnANoisyMachine) {
  int faster = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Machine machine(seed, 0.01);
    const Comparison result = compare({machine.compare(50, 48.5, 60)}, 1);
    faster += result.verdict == ComparisonVerdict::faster;
    EXPECT_NEAR(result.ratio(), 0.97, 0.02);
  }
  EXPECT_GE(faster, 38);
}

TEST(Compare, CallsALessThanHalfPercentDifferenceTheSame) {
  Machine machine(5, 0.0005);
  const Comparison result = compare({machine.compare(50, 49.9, 100)}, 1);
  EXPECT_EQ(result.verdict, ComparisonVerdict::same);
  EXPECT_DOUBLE_EQ(result.noise_floor, k_minimum_noise_floor);
}

TEST(Compare, DoesNotDecideInNoiseLargerThanTheDifference) {
  Machine machine(9, 0.2);
  const Comparison result = compare({machine.compare(50, 49, 20)}, 1);
  EXPECT_EQ(result.verdict, ComparisonVerdict::unclear);
  EXPECT_GT(result.noise_floor, 0.01);
}

TEST(Compare, CallsNothingTheSameOnAMachineThatCannotTell) {
  Machine machine(4, 0.3);
  const Comparison result = compare({machine.compare(50, 50, 20)}, 1);
  EXPECT_GT(result.noise_floor, k_widest_same);
  EXPECT_EQ(result.verdict, ComparisonVerdict::unclear);
}

// A block of a kernel that runs for seconds says nothing of how the next one would come out.
TEST(Compare, DoesNotDecideOnAFewPairs) {
  const auto verdict = [](std::size_t pairs) {
    const std::vector<double> times(pairs, 50);
    return compare({{times, times, std::vector<double>(pairs, 40), 1.0}}, 1).verdict;
  };
  for (std::size_t pairs = 1; pairs < k_fewest_pairs; ++pairs) {
    EXPECT_EQ(verdict(pairs), ComparisonVerdict::unclear) << pairs;
  }
  EXPECT_EQ(verdict(k_fewest_pairs), ComparisonVerdict::faster);
}

TEST(Compare, WeighsWorkloads) {
  Machine machine(2, 0.001);
  PairedSamples better = machine.compare(50, 45, 40);
  PairedSamples worse = machine.compare(50, 52, 40);
  better.weight = 1;
  worse.weight = 9;
  EXPECT_EQ(compare({better, worse}, 1).verdict, ComparisonVerdict::slower);
  better.weight = 9;
  worse.weight = 1;
  EXPECT_EQ(compare({better, worse}, 1).verdict, ComparisonVerdict::faster);
}

TEST(Compare, RefusesSamplesThatAreNoPairs) {
  EXPECT_THROW(compare({{{1, 2}, {1, 2}, {1}, 1}}, 1), std::invalid_argument);
  EXPECT_THROW(compare({{{}, {}, {}, 1}}, 1), std::invalid_argument);
  EXPECT_THROW(compare({{{1, 0}, {1, 1}, {1, 1}, 1}}, 1), std::invalid_argument);
}

TEST(Compare, NamesItsVerdicts) {
  EXPECT_STREQ(name_of(ComparisonVerdict::faster), "FASTER");
  EXPECT_STREQ(name_of(ComparisonVerdict::slower), "SLOWER");
  EXPECT_STREQ(name_of(ComparisonVerdict::same), "SAME");
  EXPECT_STREQ(name_of(ComparisonVerdict::unclear), "UNCLEAR");
}

}  // namespace
}  // namespace kernelloop
