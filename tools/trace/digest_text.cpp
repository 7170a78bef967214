#include <fmt/format.h>

#include "trace/digest.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

std::string us(double ns) {
  return ns < 99'950 ? fmt::format("{:.2f} µs", ns / 1000.0)
                     : fmt::format("{:.0f} µs", ns / 1000.0);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// "0-3, 7"
std::string ranges(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string role_text(const RoleDigest& role) {
  constexpr std::size_t k_shown = 8;
  std::string text =
      fmt::format("warp{} {}:\n", role.warps.size() == 1 ? "" : "s", ranges(role.warps));
  for (std::size_t i = 0; i < std::min(k_shown, role.scopes.size()); ++i) {
    const ScopeDigest& scope = role.scopes[i];
    text +=
        fmt::format("  {:>7} {}{}, {} times, {} each{}\n", percent(scope.share), scope.name,
                    scope.share - scope.self_share > 0.001
                        ? fmt::format(" ({} without the scopes inside)", percent(scope.self_share))
                        : "",
                    scope.count, us(scope.median_ns),
                    scope.cut > 0 ? fmt::format(", {} without an end", scope.cut) : "");
  }
  if (role.scopes.size() > k_shown) {
    text += fmt::format("  and {} more scopes\n", role.scopes.size() - k_shown);
  }
  return text + fmt::format("  {:>7} in no scope\n", percent(role.gap_share));
}

// What the figures are of, where not all blocks are recorded.
std::string sample_text(const LaunchDigest& digest) {
  std::string text;
  if (!digest.every_life) {
    text +=
        "begin and end only of the blocks that follow: lifetimes are of a sample; tail, blocks for "
        "each multiprocessor and their balance are not to be relied on\n";
  }
  if (digest.marked_blocks < digest.blocks) {
    text += fmt::format("scopes of {} blocks: the first {} and one of {} others\n",
                        digest.marked_blocks, digest.first_marked, digest.marked_distance);
  }
  return text;
}

}  // namespace

std::string digest_text(const LaunchDigest& digest) {
  if (digest.traced_blocks == 0) {
    return fmt::format(
        "`{}`: nothing was recorded; does lane 0 of a warp reach the end? A kernel whose head and "
        "body come from different macros is not traced\n",
        digest.kernel);
  }
  std::string text = fmt::format(
      "`{}`: {} from the first begin to the last end; {} blocks{} on {} multiprocessors, {} to {} "
      "each\n",
      digest.kernel, us(digest.span_ns), digest.blocks,
      digest.traced_blocks == digest.blocks ? ""
                                            : fmt::format(" ({} recorded)", digest.traced_blocks),
      digest.multiprocessors, digest.least_blocks, digest.most_blocks);
  text += fmt::format("a block lives {} (median), {} (95 %)\n", us(digest.lifetime_ns),
                      us(digest.lifetime_p95_ns));
  text += fmt::format(
      "ramp {}: until the last multiprocessor began; tail {} ({} of the span): from when half of "
      "them had ended\n",
      us(digest.ramp_ns), us(digest.tail_ns),
      percent(digest.span_ns > 0 ? digest.tail_ns / digest.span_ns : 0));
  text += fmt::format("multiprocessors without a block: {} of the time; busiest / mean {:.2f}\n",
                      percent(digest.idle_share), digest.imbalance);
  text += sample_text(digest);
  for (const RoleDigest& role : digest.roles) text += role_text(role);
  if (digest.dropped > 0) {
    text += fmt::format("{} events found no room: shares cover the first part of such warps\n",
                        digest.dropped);
  }
  if (digest.unmatched > 0) {
    text += fmt::format("{} KL_TRACE_END without a begin\n", digest.unmatched);
  }
  if (digest.unplaced > 0) {
    text += fmt::format("{} warps ran on multiprocessors whose clock is not known: left out\n",
                        digest.unplaced);
  }
  if (digest.malformed > 0) {
    text +=
        fmt::format("{} records make no sense: something wrote over the trace\n", digest.malformed);
  }
  return text;
}

}  // namespace kernelloop
