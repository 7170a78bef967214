#include "loop/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kernelloop {
namespace {

using Action = Decision::Action;

// What the rounds so far add up to.
struct Course {
  int rounds_since_gain = 0;
  int failed_rounds_in_a_row = 0;  // no version of the round was verified
  int fix_rounds_in_a_row = 0;     // of those, the ones that were already repairs
  const VersionRecord* last_failed = nullptr;
};

Course course_of(const History& history, double gain) {
  Course course;
  double best = std::numeric_limits<double>::infinity();
  for (int round = 1; round <= history.round; ++round) {
    bool any = false;
    bool verified = false;
    bool repairs = true;
    double round_best = best;
    for (const VersionRecord& record : history.versions) {
      if (record.round != round) continue;
      any = true;
      repairs = repairs && record.mode == "fix";
      if (record.outcome == Outcome::verified && record.time_us) {
        verified = true;
        round_best = std::min(round_best, *record.time_us);
      } else if (record.outcome == Outcome::compile_failed || record.outcome == Outcome::wrong) {
        course.last_failed = &record;
      }
    }
    if (!any) continue;
    course.failed_rounds_in_a_row = verified ? 0 : course.failed_rounds_in_a_row + 1;
    course.fix_rounds_in_a_row = !verified && repairs ? course.fix_rounds_in_a_row + 1 : 0;
    course.rounds_since_gain = round_best < best * (1.0 - gain) ? 0 : course.rounds_since_gain + 1;
    best = round_best;
  }
  return course;
}

// The fastest verified version other than the best: another place to branch from.
const VersionRecord* runner_up(const History& history, const VersionRecord& best) {
  const VersionRecord* found = nullptr;
  for (const VersionRecord& record : history.versions) {
    if (record.outcome != Outcome::verified || &record == &best || !record.time_us) continue;
    if (found == nullptr || *record.time_us < *found->time_us) found = &record;
  }
  return found;
}

Decision stop(std::string reason) { return {Action::stop, "", std::move(reason)}; }

}  // namespace

Decision decide(const History& history, const PolicySettings& settings) {
  const VersionRecord* best = history.best();
  const bool cpu = history.device_kind == "cpu";
  const Course course = course_of(history, cpu ? settings.gain_cpu : settings.gain_cuda);

  if (best != nullptr && best->sol && *best->sol >= settings.sol_target) {
    return stop(
        fmt::format("roofline reached: {} is at {:.0f} % of the speed of light (target {:.0f} %)",
                    best->version, *best->sol * 100, settings.sol_target * 100));
  }
  if (best == nullptr) {
    if (course.failed_rounds_in_a_row >= settings.give_up_after) {
      return stop(
          fmt::format("no version was right in {} rounds; look at the reference, the "
                      "tolerance and the feedback",
                      course.failed_rounds_in_a_row));
    }
    if (course.last_failed == nullptr || course.fix_rounds_in_a_row >= settings.fixes_in_a_row) {
      return {Action::seed, "", "no version is right yet; start afresh"};
    }
    return {Action::fix, course.last_failed->version,
            fmt::format("{} is not right yet: {}", course.last_failed->version,
                        course.last_failed->failure)};
  }
  if (course.rounds_since_gain >= settings.stop_after) {
    return stop(fmt::format("plateau: {} rounds without a gain over {}", course.rounds_since_gain,
                            best->version));
  }
  if (course.failed_rounds_in_a_row > 0 && course.last_failed != nullptr &&
      course.fix_rounds_in_a_row < settings.fixes_in_a_row) {
    return {Action::fix, course.last_failed->version,
            fmt::format("repair {}: {}", course.last_failed->version, course.last_failed->failure)};
  }
  if (course.rounds_since_gain >= settings.branch_after) {
    const VersionRecord* other = runner_up(history, *best);
    const VersionRecord& parent = other != nullptr ? *other : *best;
    return {Action::branch, parent.version,
            fmt::format("{} rounds without a gain over {}; try a different idea from {}",
                        course.rounds_since_gain, best->version, parent.version)};
  }
  return {Action::optimise, best->version, fmt::format("make {} faster", best->version)};
}

}  // namespace kernelloop
