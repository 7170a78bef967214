#include "support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace kernelloop {
namespace {

constexpr std::size_t k_longest_name = 64;  // longer ones are no misspellings, and cost time

char folded(char c) {
  return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before_last(right.size() + 1);
  std::vector<std::size_t> last(right.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::vector<std::size_t> row(right.size() + 1, i);
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const bool same = folded(left[i - 1]) == folded(right[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && folded(left[i - 1]) == folded(right[j - 2]) &&
                           folded(left[i - 2]) == folded(right[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last.back();
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  if (name.empty() || name.size() > k_longest_name) return best;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > k_longest_name) continue;
    const std::size_t distance = edit_distance(name, candidate);
    // A third of the letters may be wrong; a single letter is never close to another.
    if (distance > std::min(name.size(), candidate.size()) / 3 &&
        !(distance == 1 && std::min(name.size(), candidate.size()) == 2)) {
      continue;
    }
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string name_hint(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t k_shown = 16;
  if (candidates.empty()) return "there are none";
  if (const auto nearest = nearest_name(name, candidates)) {
    return fmt::format("did you mean `{}`?", *nearest);
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(k_shown, candidates.size()); ++i) {
    list += fmt::format("{}`{}`", i == 0 ? "" : ", ", candidates[i]);
  }
  if (candidates.size() > k_shown) list += fmt::format(" and {} more", candidates.size() - k_shown);
  return "known are " + list;
}

}  // namespace kernelloop
