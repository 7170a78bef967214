#include "loop/policy.hpp"

#include "loop/course.hpp"
#include "loop/tuning.hpp"
#include "support/random.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace kernelloop {
namespace {

using Action = Decision::Action;

Decision stop(std::string reason) { return {Action::stop, "", std::move(reason)}; }

// Why there is nothing more to ask for.
std::optional<Decision> reason_to_stop(const VersionRecord* best, const Course& course,
                                       const PolicySettings& settings) {
  if (best != nullptr && best->sol && *best->sol >= settings.sol_target) {
    return stop(
        fmt::format("roofline reached: {} is at {:.0f} % of the speed of light (target {:.0f} %)",
                    best->version, *best->sol * 100, settings.sol_target * 100));
  }
  if (course.duplicate_rounds_in_a_row >= settings.duplicate_rounds) {
    return stop(
        fmt::format("repeated duplicates: the last {} rounds sent versions that were there "
                    "already; give hints, another model or more context",
                    course.duplicate_rounds_in_a_row));
  }
  if (best == nullptr) {
    if (course.failed_rounds_in_a_row < settings.give_up_after) return std::nullopt;
    return stop(
        fmt::format("no version was right in {} rounds; look at the reference, the tolerance and "
                    "the feedback",
                    course.failed_rounds_in_a_row));
  }
  if (course.failed_rounds_in_a_row >= settings.stop_after) {
    return stop(
        fmt::format("repeated failure: no version of the last {} rounds was right; {} "
                    "stays the best",
                    course.failed_rounds_in_a_row, best->version));
  }
  if (course.rounds_since_gain >= settings.stop_after) {
    return stop(fmt::format("plateau: {} rounds without a gain over {}", course.rounds_since_gain,
                            best->version));
  }
  return std::nullopt;
}

// Nothing is right yet: repair, and when that does not help, start afresh.
Decision first_right_version(const Course& course, const PolicySettings& settings) {
  if (course.last_failed == nullptr || course.fix_rounds_in_a_row >= settings.fixes_in_a_row) {
    return {Action::seed, "", "no version is right yet; start afresh"};
  }
  return {Action::fix, course.last_failed->version,
          fmt::format("{} is not right yet: {}", course.last_failed->version,
                      course.last_failed->failure)};
}

const VersionRecord& drawn_by_speed(const std::vector<const VersionRecord*>& parents,
                                    const History& history, double preference) {
  const double best = *parents.front()->time_us;
  const auto weight = [&](const VersionRecord* record) {
    return std::pow(best / *record->time_us, preference);
  };
  double left = 0.0;
  for (const VersionRecord* record : parents) left += weight(record);
  left *= RandomStream(static_cast<std::uint64_t>(history.round), history.op).uniform(0);
  for (const VersionRecord* record : parents) {
    left -= weight(record);
    if (left < 0.0) return *record;
  }
  return *parents.front();
}

Decision branch(const History& history, const std::string& why, double gain,
                const PolicySettings& settings) {
  const auto parents = good_parents(history, gain, settings.good_within);
  const VersionRecord& parent = drawn_by_speed(parents, history, settings.preference);
  const std::string drawn =
      parents.size() > 1 ? fmt::format(", drawn by speed from {}", parents.size()) : "";
  return {Action::branch, parent.version,
          fmt::format("{}; try a different idea from {}{}", why, parent.version, drawn)};
}

}  // namespace

Decision refine(const VersionRecord& best) {
  return {Action::optimise, best.version, fmt::format("make {} faster", best.version)};
}

Decision decide(const History& history, const PolicySettings& settings) {
  const VersionRecord* best = history.best();
  const double gain = settings.gain_on(history.device_kind);
  const Course course = course_of(history, gain);

  if (const auto decision = reason_to_stop(best, course, settings)) return *decision;
  if (best == nullptr) return first_right_version(course, settings);
  // Costs nothing, and tells what the idea can do before the next one is asked for.
  if (const auto tuning = tuning_of(history, settings.good_within)) {
    return {Action::tune, tuning->base->version,
            fmt::format("try configuration {} of {} of {}", tuning->next + 1,
                        tuning->base->configurations, tuning->base->version)};
  }
  if (course.last_failed != nullptr && course.fix_rounds_in_a_row < settings.fixes_in_a_row) {
    return {Action::fix, course.last_failed->version,
            fmt::format("repair {}: {}", course.last_failed->version, course.last_failed->failure)};
  }
  if (course.duplicate_rounds_in_a_row > 0) {
    return branch(history, "the last round sent a version that was there already", gain, settings);
  }
  if (course.rounds_since_gain >= settings.branch_after) {
    return branch(
        history,
        fmt::format("{} rounds without a gain over {}", course.rounds_since_gain, best->version),
        gain, settings);
  }
  return refine(*best);
}

}  // namespace kernelloop
