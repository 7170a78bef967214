// The hardware counters that a profile is made of: one fixed set, in the order in which they are
// read, with what each says.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct Metric {
  std::string_view name;  // as CUPTI and ncu call it
  std::string_view unit;  // "bytes", "%", "warps", ...
  std::string_view meaning;
  // Chips that have no counter of that name: prefixes of chip names, separated by blanks.
  std::string_view absent_on;
};

// Everything, for a chip that has it all.
std::span<const Metric> all_metrics();

// Names of the bytes that cross the memory bus, read and written; two counters of one pass.
std::vector<std::string> memory_metrics();
// Names of them all.
std::vector<std::string> all_metric_names();

// Names of those that `chip` ("GH100") has. A chip nobody knows is asked for all.
std::vector<std::string> metrics_for(std::string_view chip);
// The same, of these only. Names that are not in the table are kept.
std::vector<std::string> metrics_for(std::string_view chip, const std::vector<std::string>& wanted);

// Values by name; a metric that was not measured is not there.
using MetricValues = std::map<std::string, double>;

// Why warps wait, in the words of an expert; `metric` is one of the stall metrics.
struct StallReason {
  std::string_view metric;
  std::string_view name;    // "long scoreboard"
  std::string_view advice;  // what it means and what helps
};
std::span<const StallReason> stall_reasons();

}  // namespace kernelloop
