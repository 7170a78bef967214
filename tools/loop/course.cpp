#include "loop/course.hpp"

#include <algorithm>
#include <limits>

namespace kernelloop {
namespace {

bool is_right(const VersionRecord& record) {
  return record.outcome == Outcome::verified && record.time_us.has_value();
}

// The version that the idea of `record` began with: a seed or a branch, through all refinements
// and repairs.
std::string origin_of(const History& history, const VersionRecord& record) {
  const VersionRecord* at = &record;
  while (at->mode != "seed" && at->mode != "branch") {
    const VersionRecord* parent = history.find(at->parent);
    // A parent comes before its child; a broken file must not lead in circles.
    if (parent == nullptr || parent >= at) break;
    at = parent;
  }
  return at->version;
}

// What one round brought.
struct Round {
  bool any = false;
  bool only_repairs = true;
  bool only_duplicates = true;
  bool only_tuned = true;  // configurations of an earlier version: nobody had an idea
  const VersionRecord* fastest = nullptr;  // of the right ones
  const VersionRecord* failed = nullptr;   // the last that can be repaired
};

Round round_of(const History& history, int number) {
  Round round;
  for (const VersionRecord& record : history.versions) {
    if (record.round != number) continue;
    round.any = true;
    round.only_repairs = round.only_repairs && record.mode == "fix";
    round.only_duplicates = round.only_duplicates && record.outcome == Outcome::duplicate;
    const bool tuned = record.mode == "tune";
    round.only_tuned = round.only_tuned && tuned;
    if (is_right(record)) {
      if (round.fastest == nullptr || *record.time_us < *round.fastest->time_us) {
        round.fastest = &record;
      }
    } else if (!tuned &&
               (record.outcome == Outcome::compile_failed || record.outcome == Outcome::wrong)) {
      round.failed = &record;
    }
  }
  return round;
}

}  // namespace

Course course_of(const History& history, double gain) {
  Course course;
  // The best time when a gain was last seen: small steps that add up are a gain too.
  double bar = std::numeric_limits<double>::infinity();
  for (int number = 1; number <= history.round; ++number) {
    const Round round = round_of(history, number);
    if (!round.any) continue;
    const bool right = round.fastest != nullptr;
    const bool gained = right && *round.fastest->time_us < bar * (1.0 - gain);
    if (gained) bar = *round.fastest->time_us;
    // That a configuration is slower or does not work says nothing about the course.
    if (round.only_tuned && !gained) continue;
    course.rounds_since_gain = gained ? 0 : course.rounds_since_gain + 1;
    course.failed_rounds_in_a_row = right ? 0 : course.failed_rounds_in_a_row + 1;
    course.fix_rounds_in_a_row = !right && round.only_repairs ? course.fix_rounds_in_a_row + 1 : 0;
    course.duplicate_rounds_in_a_row =
        round.only_duplicates ? course.duplicate_rounds_in_a_row + 1 : 0;
    if (right || round.failed != nullptr) course.last_failed = right ? nullptr : round.failed;
  }
  return course;
}

std::vector<const VersionRecord*> good_parents(const History& history, double gain, double within) {
  const VersionRecord* best = history.best();
  if (best == nullptr) return {};
  std::vector<const VersionRecord*> good;
  for (const VersionRecord& record : history.versions) {
    if (is_right(record) && *record.time_us <= within * *best->time_us) good.push_back(&record);
  }
  std::stable_sort(good.begin(), good.end(), [](const VersionRecord* a, const VersionRecord* b) {
    return *a->time_us < *b->time_us;
  });
  std::vector<const VersionRecord*> chosen;
  for (const VersionRecord* record : good) {
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const VersionRecord* other) {
      return *record->time_us * (1.0 - gain) <= *other->time_us &&
             origin_of(history, *record) == origin_of(history, *other);
    });
    if (!known) chosen.push_back(record);
  }
  return chosen;
}

}  // namespace kernelloop
