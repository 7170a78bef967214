// What the rounds of a history add up to: the part of the search policy that looks back.
#pragma once

#include "loop/history.hpp"

#include <vector>

namespace kernelloop {

struct Course {
  int rounds_since_gain =
      0;  // since a time was below that of the last gain by more than the margin
  int failed_rounds_in_a_row = 0;              // no version of the round was right
  int fix_rounds_in_a_row = 0;                 // of those, the ones that were already repairs
  int duplicate_rounds_in_a_row = 0;           // every version of the round had been sent before
  const VersionRecord* last_failed = nullptr;  // since the last round with a right version
};

// `gain`: the margin, relative. Points into `history.versions`.
Course course_of(const History& history, double gain);

// What a plateau may branch from: the right versions at most `within` times slower than the best,
// the fastest first. Of versions that were refined from one another and differ by less than `gain`
// only the fastest stands there: they are one idea.
std::vector<const VersionRecord*> good_parents(const History& history, double gain, double within);

}  // namespace kernelloop
