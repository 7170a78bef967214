#include "verify/error_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace kernelloop {
namespace {

// The marked positions along one axis.
struct Line {
  std::vector<std::int64_t> marked;
  std::int64_t length = 0;

  explicit Line(const std::vector<std::int64_t>& counts)
      : length(static_cast<std::int64_t>(counts.size())) {
    for (std::int64_t position = 0; position < length; ++position) {
      if (counts[static_cast<std::size_t>(position)] > 0) marked.push_back(position);
    }
  }
  [[nodiscard]] std::int64_t first() const { return marked.front(); }
  [[nodiscard]] std::int64_t last() const { return marked.back(); }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(marked.size()); }
  [[nodiscard]] bool whole() const { return count() == length; }
};

std::string ordinal(std::int64_t number) {
  switch (number) {
    case 2:
      return "2nd";
    case 3:
      return "3rd";
    default:
      return fmt::format("{}th", number);
  }
}

std::optional<std::string> tail(const Line& line, const std::string& noun) {
  if (line.first() == 0 || line.last() != line.length - 1) return std::nullopt;
  for (const std::int64_t tile : {256, 128, 64, 32, 16, 8}) {
    if (line.length / tile * tile == line.first()) {
      return fmt::format("only {}s from {} on (the tail beyond a multiple of {})", noun,
                         line.first(), tile);
    }
  }
  if (line.count() < line.length - line.first()) return std::nullopt;
  return fmt::format("only the last {} {}{}, from {} on", line.count(), noun,
                     line.count() == 1 ? "" : "s", line.first());
}

std::optional<std::string> every_nth(const Line& line, const std::string& noun) {
  if (line.count() < 3) return std::nullopt;
  std::int64_t step = 0;
  for (std::size_t i = 1; i < line.marked.size(); ++i) {
    step = std::gcd(step, line.marked[i] - line.marked[i - 1]);
  }
  const std::int64_t offset = line.first() % step;
  const std::int64_t expected = (line.length - offset + step - 1) / step;
  if (step < 2 || line.count() * 10 < expected * 9) return std::nullopt;
  return fmt::format("only every {} {}, from {} on", ordinal(step), noun, line.first());
}

// Whether `line` has marks in just one aligned window of every block of this width, always the
// same; which one, or -1.
std::int64_t only_window(const Line& line, std::int64_t window, std::int64_t block) {
  const std::int64_t place = line.first() % block / window;
  std::int64_t blocks_hit = 0;
  std::int64_t last_block = -1;
  for (const std::int64_t position : line.marked) {
    if (position % block / window != place) return -1;
    if (position / block != last_block) ++blocks_hit;
    last_block = position / block;
  }
  return blocks_hit == line.length / block ? place : -1;
}

// A warp's share of a block that walks along the line, seen at least twice.
std::optional<std::string> one_warp(const Line& line, const std::string& noun) {
  if (line.count() < 8) return std::nullopt;
  for (const std::int64_t window : {32, 64, 128, 256}) {
    for (std::int64_t block = window * 32; block > window; block /= 2) {
      if (block * 2 > line.length) continue;
      const std::int64_t warp = only_window(line, window, block);
      if (warp < 0) continue;
      const std::int64_t begin = warp * window;
      return fmt::format(
          "only {}s {} to {} of every {} (what warp {} of a block handles at {} element{} per "
          "lane)",
          noun, begin, begin + window - 1, block, warp, window / 32, window == 32 ? "" : "s");
    }
  }
  return std::nullopt;
}

std::optional<std::string> range(const Line& line, const std::string& noun) {
  const std::int64_t span = line.last() - line.first() + 1;
  if (line.count() == 1) {
    return fmt::format("only {} {} of {}", noun, line.first(), line.length);
  }
  if (line.count() * 2 < span || span * 2 > line.length) return std::nullopt;
  return fmt::format("only {}s {} to {} of {}", noun, line.first(), line.last(), line.length);
}

std::optional<std::string> regularity(const Line& line, const std::string& noun) {
  if (line.whole() || line.length < 2) return std::nullopt;
  if (auto words = tail(line, noun)) return words;
  if (auto words = every_nth(line, noun)) return words;
  if (auto words = one_warp(line, noun)) return words;
  return range(line, noun);
}

}  // namespace

std::string Marks::describe() const {
  const auto rows = static_cast<std::int64_t>(in_row_.size());
  const auto cols = static_cast<std::int64_t>(in_column_.size());
  const std::int64_t total = rows * cols;
  if (count_ == 0) return "nowhere";
  if (count_ == total) return "everywhere";
  const Line row_line(in_row_);
  const Line column_line(in_column_);
  const std::string share = fmt::format("{} of {} elements", count_, total);
  const auto by_row = regularity(row_line, "row");
  const auto by_column = regularity(column_line, "column");
  if (by_row && by_column) return fmt::format("{}, and there {}; {}", *by_row, *by_column, share);
  if (by_row) return fmt::format("{}; {}", *by_row, share);
  if (by_column) return fmt::format("{}; {}", *by_column, share);
  if (count_ * 10 > total * 9) return fmt::format("nearly everywhere; {}", share);
  return fmt::format("scattered; {}, the first in row {}, column {}", share, row_line.first(),
                     column_line.first());
}

}  // namespace kernelloop
