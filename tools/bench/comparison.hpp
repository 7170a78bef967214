// Is B faster than A? Decided from interleaved samples, with the noise of the machine measured by
// comparing A with itself in the same run.
#pragma once

#include "support/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernelloop {

enum class ComparisonVerdict { faster, slower, same, unclear };
const char* name_of(ComparisonVerdict verdict);  // "FASTER", ...

// The times of one workload, in the order taken: sample i of each series was taken right after the
// other two, so that a drift of the clock hits all three.
struct PairedSamples {
  std::vector<double> incumbent_us;
  std::vector<double> incumbent_again_us;  // the same kernel, loaded a second time
  std::vector<double> challenger_us;
  double weight = 1.0;
};

struct Comparison {
  ComparisonVerdict verdict = ComparisonVerdict::unclear;
  double log_ratio = 0;    // weighted mean over workloads of median ln(challenger / incumbent)
  Interval interval;       // 95 % bootstrap interval of log_ratio
  double self_ratio = 0;   // the same statistic for the incumbent against itself
  double noise_floor = 0;  // what |log_ratio| must exceed; at least k_minimum_noise_floor
  [[nodiscard]] double ratio() const;  // exp(log_ratio): challenger's time / incumbent's
};

inline constexpr double k_minimum_noise_floor = 0.005;
inline constexpr double k_widest_same = 0.02;  // above this floor nothing is called the same
inline constexpr int k_bootstrap_resamples = 2000;
// Drawn from fewer pairs of a workload, the interval is too narrow for what it says: from one it is
// a point, and a kernel that is compared with itself was FASTER or SLOWER in 42 % of simulated
// runs, with two in 6 %.
inline constexpr std::size_t k_fewest_pairs = 6;

// FASTER: the whole interval lies below -floor; SLOWER: above +floor; SAME: within it; else, and
// where a workload has fewer than k_fewest_pairs, UNCLEAR. The floor is the farthest end of the
// incumbent's own interval against itself, at least 0.5 %. Throws std::invalid_argument when series
// are empty or of different length within a workload, or hold a time that is not positive.
Comparison compare(const std::vector<PairedSamples>& workloads, std::uint64_t seed);

}  // namespace kernelloop
