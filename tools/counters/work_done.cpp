#include "counters/work_done.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {

std::optional<std::string> work_not_done(const MetricValues& metrics,
                                         const CounterContext& context) {
  const auto read = metrics.find("dram__bytes_read.sum");
  const auto written = metrics.find("dram__bytes_write.sum");
  if (read == metrics.end() || written == metrics.end()) return std::nullopt;
  // Without the size of L2 nothing can be said of the outputs.
  const double kept = context.l2_bytes > 0 ? std::min(context.output_bytes, context.l2_bytes)
                                           : context.output_bytes;
  const double least = context.minimum_bytes - kept;
  // Lines that were dirty before the launch may be written back during it, so small amounts say
  // nothing.
  constexpr double k_least_to_judge = 1 << 20;
  if (least < k_least_to_judge) return std::nullopt;
  const double moved = read->second + written->second;
  if (moved >= k_least_share_of_bytes * least) return std::nullopt;
  return fmt::format(
      "counters show that the work was not done: a cold launch moved {:.4g} MB over the memory bus "
      "and must move {:.4g} MB at least ({:.0f} %); or `cost` in op.json is too high",
      moved * 1e-6, least * 1e-6, 100 * moved / least);
}

}  // namespace kernelloop
