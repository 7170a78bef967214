// What wrong values have in common, in words: the part of pattern.hpp that looks at values instead
// of places.
#pragma once

#include "verify/pattern.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

// Whether `matches` holds for (as good as) every element; gives up at the first hundred that fail.
template <typename Matches>
bool nearly_all(std::int64_t begin, std::int64_t end, const Matches& matches) {
  const std::int64_t allowed = (end - begin) / 100;
  std::int64_t failures = 0;
  for (std::int64_t index = begin; index < end; ++index) {
    if (!matches(index) && ++failures > allowed) return false;
  }
  return end > begin;
}

// The elements of a failed output as double, seen as rows x columns (the last axis): whole rows up
// to a million elements, which is enough to see what they have in common.
struct ValueSample {
  explicit ValueSample(const FailedOutput& output);

  const FailedOutput& failed;
  std::vector<double> got;
  std::int64_t rows = 0;
  std::int64_t cols = 0;

  [[nodiscard]] double expected(std::int64_t index) const {
    return failed.reference[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] double value(std::int64_t index) const {
    return got[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] bool whole() const { return got.size() == failed.reference.size(); }
  [[nodiscard]] bool wrong(std::int64_t index) const;
};

// What explains the whole output: transposed, every row alike, a factor or an offset for each row.
std::optional<std::string> whole_pattern(const ValueSample& sample);

// "the wrong elements are 0", "... infinite", "... those of input 'x'"; without where they are.
std::optional<std::string> common_value(const ValueSample& sample);

// Errors that look like rounding to a narrower type than declared.
std::optional<std::string> lower_precision(const ValueSample& sample);

}  // namespace kernelloop
