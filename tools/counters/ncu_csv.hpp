// What `ncu --csv` prints.
#pragma once

#include "counters/metrics.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// A finding of ncu's rules.
struct NcuRule {
  std::string section;  // "SpeedOfLight"
  std::string type;     // "INF", "OPT", "WRN"
  std::string description;
  std::string speedup_type;  // "global", "local" or empty
  double speedup = 0;        // estimated, in per cent; 0: none given
};

struct NcuKernel {
  std::string name;
  MetricValues metrics;  // of `--page raw`, by metric name; those that are no numbers left out
  std::vector<NcuRule> rules;  // of `--page details`
};

// Reads `--page raw --csv` or `--page details --csv`: banners and the program's own output before
// the table do not matter, nor do rows that are shorter than the header. One entry per launch, in
// order. Throws Error(bad_input) when the text holds no such table.
std::vector<NcuKernel> read_ncu_csv(std::string_view text);

}  // namespace kernelloop
